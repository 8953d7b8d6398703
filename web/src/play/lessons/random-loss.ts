import { differOnlyIn, mbps, percent, type Lesson } from "./lesson";

/** Reno takes every loss for congestion. */
export const randomLoss: Lesson = {
  id: "random-loss",
  title: "Loss that is not congestion",
  idea: [
    "A radio link loses packets to noise. Reno cannot tell such a loss from a full buffer, and halves its window. At " +
      "one loss in a hundred packets the sawtooth is cut down long before the window fills the path.",
    "Mathis and others (1997) put it in a formula: the rate is about 1.2 segments / (round-trip time x square root of " +
      "the loss). Look for the link's rate in it.",
  ],
  experiment: `like = "linux"
cc = "reno"
time = "60 s"
warmup = "5 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
loss = "1 %"
`,
  question: "The operator sells you a link ten times as fast, with the same loss. How much faster is your transfer?",
  suggestion: { words: "Set the rate to 100 Mbit/s.", set: [["dumbbell.rate", "100 Mbit/s"]] },
  tried: (before, after) => after.rateBps >= 5 * before.rateBps && differOnlyIn(before, after, "dumbbell.rate"),
  observation: () =>
    "The transfer is as slow as before, within a sixth: its rate is set by the loss and the round trip, and the " +
    "faster link is idle.",
  look: (before, after) => ({
    seen: Math.abs(after.goodputBps / before.goodputBps - 1) <= 1 / 6 && after.utilization < 0.1,
    words:
      `${mbps(after.goodputBps)} arrive, before ${mbps(before.goodputBps)}; the link is busy ` +
      `${percent(after.utilization)} of the time, before ${percent(before.utilization)}.`,
  }),
  further: [
    { words: "Shorten the round trip to 50 ms: this helps.", set: [["dumbbell.rtt", "50 ms"]] },
    { words: "Lose a quarter as much: the rate about doubles.", set: [["dumbbell.loss", "0.25 %"]] },
  ],
};
