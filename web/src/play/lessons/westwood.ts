import { estimates, reductions } from "../observed";
import { bareName, controllerOf, differOnlyIn, mbps, times, type Lesson } from "./lesson";

/** The first estimates are of slow start; in seconds. */
const SETTLED_FROM = 10;

/** Westwood sets its window after a loss to what the ACKs have measured. */
export const westwoodEstimate: Lesson = {
  id: "westwood",
  title: "Westwood's estimate",
  idea: [
    "ACKs say how much arrives, and when: a sender that counts them knows the rate that the path gives it. Westwood " +
      "(Casetti and others, 2002) filters this count to a bandwidth estimate. After a loss it does not halve blindly, but " +
      "sets the window to the estimate times the smallest round-trip time: the window that fills the path without a queue.",
    "If the loss was noise, the estimate is still near the full rate, and hardly anything is given up. If the buffer was " +
      "full, the queue is emptied and no more.",
  ],
  experiment: `like = "linux"
cc = "reno"
time = "60 s"
warmup = "10 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
loss = "1 %"
`,
  question: "Reno carries about an eighth of the link here. What will a sender carry that measures before it reduces?",
  suggestion: { words: "Set the controller to westwood.", set: [["cc", "westwood"]] },
  // Other controllers have estimates, too, and other uses for them.
  tried: (before, after) => bareName(controllerOf(after.tables)) === "westwood" && differOnlyIn(before, after, "cc"),
  observation: () =>
    "Each loss sets the threshold to bandwidth estimate x smallest round-trip time, which the cause at the pointer " +
    "says. The estimate stays near the link's rate, and several times as much arrives.",
  look: (before, after) => {
    const [trace] = after.windows;
    const measured = trace ? estimates(trace, SETTLED_FROM) : [];
    const median = measured[Math.floor(measured.length / 2)] ?? 0;
    const all = trace ? reductions(trace) : [];
    const byEstimate = all.filter((one) => one.cause.includes("bwe")).length;
    return {
      seen:
        median > after.rateBps / 2 && byEstimate > all.length / 2 && after.goodputBps >= 3 * before.goodputBps,
      words:
        `The estimate's median is ${mbps(median)} on a link of ${mbps(after.rateBps)}; ${byEstimate} of ${all.length} reductions ` +
        `went to it; ${mbps(after.goodputBps)} arrive, ${times(after.goodputBps / before.goodputBps)} as much as with Reno.`,
    };
  },
  further: [
    {
      words: "Set it to westwood+, which takes one sample a round trip and follows more slowly.",
      set: [["cc", "westwood+"]],
    },
    {
      words: "Take the losses away: Reno and Westwood carry the same.",
      set: [
        ["cc", ["reno", "westwood"]],
        ["dumbbell.loss", "none"],
      ],
    },
  ],
};
