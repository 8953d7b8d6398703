import { withUnit } from "../../page/number";
import { reductions, type Observed } from "../observed";
import { controllerOf, differOnlyIn, percent, type Lesson } from "./lesson";

/** Slow start and its losses are over by then, in seconds. */
const SAWTOOTH_FROM = 5;

/**
 * A reduction takes its share of the flight (RFC 5681), which is a whole number of segments, as the threshold is: up to two
 * segments less than that share of the window. (The bound was one segment until a first run, whose criterion had left
 * the flight out.)
 */
const ROUNDED = 2;

function teeth(run: Observed): ReturnType<typeof reductions> {
  const [trace] = run.windows;
  return trace ? reductions(trace, SAWTOOTH_FROM) : [];
}

/** The share of the window that a loss leaves, as the parameter of Reno says; NaN of anything else. */
function kept(run: Observed): number {
  return Number(/^reno\(\s*keep\s*=\s*([0-9.]+)\s*\)$/.exec(controllerOf(run.tables).trim())?.[1]);
}

/** Additive increase, multiplicative decrease. */
export const aimd: Lesson = {
  id: "aimd",
  title: "Additive increase, multiplicative decrease",
  idea: [
    "After slow start Reno probes with care: one segment more each round trip. A loss says that the path and its " +
      "buffer are full, and the window is halved. This is additive increase, multiplicative decrease (AIMD), and its " +
      "picture over time is the sawtooth.",
    "Point at a tooth: the cause of the reduction and the window before and after it are shown below the chart, and " +
      "listed in the table of changes.",
  ],
  experiment: `like = "linux"
cc = "reno"
time = "60 s"
warmup = "10 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
`,
  question: "If a loss left four fifths of the window instead of a half, would losses become rarer or more frequent?",
  suggestion: { words: "Set the controller to reno(keep=0.8).", set: [["cc", "reno(keep=0.8)"]] },
  tried: (before, after) => kept(after) > 0.5 && kept(after) < 1 && differOnlyIn(before, after, "cc"),
  observation: (_, after) =>
    `Each loss leaves ${percent(kept(after))} of the window. The teeth are smaller, and since the way back to the full ` +
    "buffer is shorter there are more of them.",
  look: (before, after) => {
    const [old, now] = [teeth(before), teeth(after)];
    const share = kept(after);
    const exact = now.every((tooth) => Math.abs(tooth.ssthresh - share * tooth.before) <= ROUNDED);
    return {
      seen: exact && now.length >= 1.5 * old.length,
      words:
        `${now.length} reductions after ${withUnit(SAWTOOTH_FROM, "s")}, ${old.length} before; ` +
        (exact
          ? `each leaves ${share} of the window, rounded down.`
          : `not each of them leaves ${share} of the window.`),
    };
  },
  further: [
    { words: "Shorten the round trip to 20 ms: the teeth are small and fast.", set: [["dumbbell.rtt", "20 ms"]] },
    { words: "Let the window grow by CUBIC's curve instead of a line.", set: [["cc", "cubic"]] },
  ],
};
