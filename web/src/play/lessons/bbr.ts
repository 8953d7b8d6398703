import { bareName, controllerOf, differOnlyIn, shorterWait, type Lesson } from "./lesson";

/** A model of the path in place of losses. */
export const bbr: Lesson = {
  id: "bbr",
  title: "BBR: a model instead of losses",
  idea: [
    "CUBIC and Reno learn that the path is full from a lost packet, and by then the buffer is full as well. BBR " +
      "(Cardwell and others, 2016) measures two things instead: the highest rate at which data was delivered, and the " +
      "smallest round-trip time. It sends at that rate and keeps about one bandwidth-delay product in flight.",
    "It must probe for both: a quarter faster for one round trip of eight, and every ten seconds almost nothing in " +
      "flight for 200 ms, so that the queue empties and the smallest round-trip time is seen again.",
  ],
  experiment: `like = "linux"
cc = "cubic"
time = "30 s"
warmup = "5 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
buffer = "4 bdp"
`,
  question: "The buffer holds four times the BDP. How much of it will BBR use?",
  suggestion: { words: "Set the controller to bbr.", set: [["cc", "bbr"]] },
  tried: (before, after) => bareName(controllerOf(after.tables)).startsWith("bbr") && differOnlyIn(before, after, "cc"),
  observation: () => "The wait is less than a quarter of CUBIC's, and nine tenths or more of the goodput remain.",
  look: shorterWait(4),
  further: [
    {
      words: "Lose 1 % at random: BBR does not mind.",
      set: [
        ["cc", "bbr"],
        ["dumbbell.loss", "1 %"],
      ],
    },
    {
      words: "Take the buffer away, 0.1 bdp, and look at what is sent again.",
      set: [
        ["cc", "bbr"],
        ["dumbbell.buffer", "0.1 bdp"],
      ],
    },
    {
      words: "Let it compete with a CUBIC flow.",
      set: [
        ["cc", "bbr"],
        ["dumbbell.against_cc", "cubic"],
      ],
    },
  ],
};
