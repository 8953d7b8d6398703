import { imbalance, type Observed } from "../observed";
import { differOnlyIn, mbps, times, type Lesson } from "./lesson";

/** The longest round trip as a multiple of the shortest. */
function spread(run: Observed): number {
  const rtts = run.flows.map((flow) => flow.baseRttMs);
  return Math.max(...rtts) / Math.min(...rtts);
}

/** The shorter round trip wins. */
export const rttUnfairness: Lesson = {
  id: "rtt-unfairness",
  title: "Round trips and shares",
  idea: [
    "Reno adds one segment each round trip. Of two flows through the same bottleneck the one with the shorter round trip " +
      "grows more often, and gets more. Here one has 20 ms and the other 200 ms.",
    "The queue softens this: it adds the same wait to both round trips, so that they differ by less than the ten times " +
      "that propagation alone would make.",
  ],
  experiment: `like = "linux"
cc = "reno"
time = "200 s"
warmup = "50 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "20 ms to 200 ms"
flows = 2
`,
  question: "Is it the round trip alone? What should happen if both have the same?",
  suggestion: { words: "Set the round-trip time of both to 100 ms.", set: [["dumbbell.rtt", "100 ms"]] },
  tried: (before, after) =>
    after.flows.length > 1 && spread(after) <= 1.05 && spread(before) > 1.05 && differOnlyIn(before, after, "dumbbell.rtt"),
  observation: () =>
    "With equal round trips the flows share alike: neither has a quarter more. With 20 and 200 ms the short one had " +
    "more than twice as much.",
  look: (before, after) => ({
    seen: imbalance(before) > 2 && imbalance(after) < 1.25,
    words:
      `The flows carry ${after.flows.map((flow) => mbps(flow.goodputBps)).join(" and ")}: one ${times(imbalance(after))} the ` +
      `other, before ${times(imbalance(before))}.`,
  }),
  further: [
    {
      words: "Keep 20 and 200 ms and set the controller to cubic, which grows with time: the shares come nearer.",
      set: [["cc", "cubic"]],
    },
    { words: "Set it to bbr: now the long flow wins.", set: [["cc", "bbr"]] },
  ],
};
