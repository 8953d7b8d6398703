import { field, type Tables } from "../experiment";
import { differOnlyIn, ms, percent, type Lesson } from "./lesson";

/** The buffer in bandwidth-delay products, if it is written so. */
function bdps(tables: Tables): number {
  const buffer = field(tables, "dumbbell.buffer");
  return typeof buffer === "string" ? Number(/^([0-9.]+) ?bdp$/.exec(buffer.trim())?.[1]) : NaN;
}

/** A buffer keeps the link busy while the window is small, and adds delay. */
export const queue: Lesson = {
  id: "queue",
  title: "The use of a queue, and its price",
  idea: [
    "A link sends one packet at a time; what arrives meanwhile waits in its buffer. A window larger than the " +
      "bandwidth-delay product (BDP) does not make the link faster: the surplus waits.",
    "Here the buffer holds a tenth of the BDP. Reno's window is halved at each loss, to about half of what the path " +
      "holds, and until it has grown back nothing waits and the link is idle between bursts.",
  ],
  experiment: `like = "linux"
cc = "reno"
time = "60 s"
warmup = "10 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
buffer = "0.1 bdp"
`,
  question: "How large must the buffer be so that half of a full window still fills the link?",
  suggestion: { words: "Set the buffer to 1 bdp.", set: [["dumbbell.buffer", "1 bdp"]] },
  // A buffer that holds much more wins nothing, and so answers another question.
  tried: (before, after) =>
    bdps(after.tables) >= 0.9 && bdps(after.tables) <= 1.5 && differOnlyIn(before, after, "dumbbell.buffer"),
  observation: () =>
    "With a buffer of about one BDP the halved window still fills the path: the link stays busy. The price is the " +
    "wait in that buffer.",
  look: (before, after) => ({
    seen: after.utilization >= 0.98 && before.utilization < 0.9 && after.waitP95Ms > before.waitP95Ms,
    words:
      `The link is busy ${percent(after.utilization)} of the time, before ${percent(before.utilization)}; 19 of 20 packets wait ` +
      `less than ${ms(after.waitP95Ms)}, before ${ms(before.waitP95Ms)}.`,
  }),
  further: [
    { words: "Set it to 4 bdp: nothing is won, and the wait grows.", set: [["dumbbell.buffer", "4 bdp"]] },
    { words: "Keep the small buffer and share it among 16 flows.", set: [["dumbbell.flows", 16]] },
  ],
};
