import { imbalance } from "../observed";
import { controllerOf, differOnlyIn, mbps, times, type Lesson } from "./lesson";

/** Additive increase with multiplicative decrease leads to equal shares; two multiplications do not. */
export const fairness: Lesson = {
  id: "fairness",
  title: "Fairness",
  idea: [
    "Two flows share a link, and the second comes ten seconds later. Chiu and Jain (1989) showed why they end with " +
      "equal shares if both increase by addition and decrease by multiplication: a decrease takes more from the one that " +
      "has more, an increase gives both the same.",
    "Scalable TCP, with which this lesson begins, does both by multiplication: its window grows by a share of itself. " +
      "The ratio of the two windows then has no reason to change.",
  ],
  experiment: `like = "linux"
cc = "scalable"
time = "120 s"
warmup = "60 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"

[[flow]]
name = "late"
from = "left"
to = "right"
rtt = "100 ms"
start = "10 s"
`,
  question: "Will the late flow get half of the link within two minutes?",
  suggestion: { words: "Set the controller to reno.", set: [["cc", "reno"]] },
  // Controllers that increase otherwise than by addition end otherwise, too.
  tried: (before, after) => ["reno", "newreno"].includes(controllerOf(after.tables)) && differOnlyIn(before, after, "cc"),
  observation: () =>
    "With Scalable TCP one flow still carries over a quarter more after a minute. With Reno the two come near to each " +
    "other: neither carries a quarter more.",
  look: (before, after) => ({
    // The flow that loses at an overflow decides how much more: 1.4 to 3.4 times where the late one starts after 6 to
    // 20 s, and with Reno 1.0 to 1.2 times.
    seen: imbalance(before) > 1.25 && imbalance(after) < 1.25,
    words:
      `From the second minute on the flows carry ${after.flows.map((flow) => mbps(flow.goodputBps)).join(" and ")}: one ` +
      `${times(imbalance(after))} the other, before ${times(imbalance(before))}.`,
  }),
  further: [
    { words: "Try cubic: the late flow overtakes for a while.", set: [["cc", "cubic"]] },
    { words: "Start with equal chances: let both begin at 0 s.", set: [["flow.late.start", "0 s"]] },
  ],
};
