import { field } from "../experiment";
import { differOnlyIn, shorterWait, type Lesson } from "./lesson";

/** A large buffer is filled by whoever waits for a loss. */
export const bufferbloat: Lesson = {
  id: "bufferbloat",
  title: "Bufferbloat",
  idea: [
    "Memory is cheap, and many a modem has a buffer of ten times what the path holds. A controller that slows down only " +
      "at a loss fills it, whatever its size, and keeps it filled: a path of 40 ms then takes 400 ms. Calls and games " +
      "through the same link suffer.",
    "Queue management drops early. CoDel (Nichols and Jacobson, 2012) drops when even the smallest wait of the last " +
      "100 ms was more than 5 ms; fq_codel gives each flow a queue of its own as well.",
  ],
  experiment: `like = "linux"
cc = "cubic"
time = "30 s"
warmup = "5 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "40 ms"
buffer = "10 bdp"
`,
  question: "Can the wait be had below 20 ms without a loss of speed that anybody would notice?",
  suggestion: { words: "Set the queue to fq_codel.", set: [["dumbbell.aqm", "fq_codel"]] },
  tried: (before, after) => {
    const queue = field(after.tables, "dumbbell.aqm");
    const isOther = queue !== undefined && queue !== "droptail" && queue !== field(before.tables, "dumbbell.aqm");
    return isOther && differOnlyIn(before, after, "dumbbell.aqm");
  },
  observation: () => "The wait falls to less than a fifth, and nine tenths or more of the goodput remain.",
  look: shorterWait(5),
  further: [
    { words: "Keep the drop-tail queue and make it small instead: 0.5 bdp.", set: [["dumbbell.buffer", "0.5 bdp"]] },
    { words: "Keep the queue and change the sender: bbr.", set: [["cc", "bbr"]] },
  ],
};
