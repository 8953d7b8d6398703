import { estimates, type Observed } from "../observed";
import { bareName, controllerOf, differOnlyIn, mbps, percent, times, type Lesson } from "./lesson";

/** The first estimates are of slow start; in seconds. */
const SETTLED_FROM = 10;

/** The largest estimate, as a multiple of the link's rate. */
function excess(run: Observed): number | undefined {
  const [trace] = run.windows;
  const largest = trace && estimates(trace, SETTLED_FROM).at(-1);
  return largest === undefined ? undefined : largest / run.rateBps;
}

/** ACKs that queue behind data arrive in bunches, and fool an estimate that trusts their spacing. */
export const ackCompression: Lesson = {
  id: "ack-compression",
  title: "ACK compression",
  idea: [
    "An estimate from ACKs trusts their spacing. Let another transfer lead the other way: the ACKs then wait behind " +
      "its data, and leave the queue back to back. The bunch arrives as if the path were many times faster than it is. " +
      "This is ACK compression (Zhang, Shenker and Clark, 1991).",
    "Watch the ACKs on their way back in the animation, and the bandwidth estimate in the chart. Westwood takes a sample " +
      "at every ACK, and believes the bunches.",
  ],
  experiment: `like = "linux"
cc = "westwood"
time = "60 s"
warmup = "10 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
reverse_flows = 1
reverse_cc = "reno"
`,
  question: "How could an estimate be made that a bunch of ACKs does not disturb?",
  suggestion: { words: "Set the controller to westwood+.", set: [["cc", "westwood+"]] },
  tried: (before, after) =>
    excess(after) !== undefined && bareName(controllerOf(after.tables)) === "westwood+" && differOnlyIn(before, after, "cc"),
  observation: () =>
    "Westwood+ counts what arrives in a whole round trip, however it is spaced: its estimate never exceeds the link's " +
    "rate. Westwood's did, many times over, and after each loss it kept a window far too large.",
  look: (before, after) => {
    const [old, now] = [excess(before) ?? 0, excess(after) ?? 0];
    const [trace] = after.windows;
    return {
      seen: old > 2 && now <= 1 && after.resent < before.resent,
      words:
        `The largest estimate is ${mbps((trace && estimates(trace, SETTLED_FROM).at(-1)) ?? 0)} on a link of ` +
        `${mbps(after.rateBps)}, before ${times(old)} the link's rate; ${percent(after.resent)} of the packets are sent again, ` +
        `before ${percent(before.resent)}.`,
    };
  },
  further: [
    {
      words: "Take the reverse flow away: both estimates are right.",
      set: [
        ["cc", ["westwood", "westwood+"]],
        ["dumbbell.reverse_flows", undefined],
        ["dumbbell.reverse_cc", undefined],
      ],
    },
    { words: "Give each direction a queue for each flow (fq_codel).", set: [["dumbbell.aqm", "fq_codel"]] },
  ],
};
