import { reaches, type Observed } from "../observed";
import { differOnlyIn, ms, times, type Lesson } from "./lesson";

/** How long the window takes to double, in round trips: from 20 to 80 segments it doubles twice. */
function doubling(run: Observed): { seconds: number; roundTrips: number } | undefined {
  const [trace] = run.windows;
  const from = trace && reaches(trace, 20);
  const to = trace && reaches(trace, 80);
  const rtt = baseRtt(run);
  if (from === undefined || to === undefined || rtt === 0) return undefined;
  const seconds = (to - from) / 2;
  return { seconds, roundTrips: seconds / rtt };
}

function baseRtt(run: Observed): number {
  return (run.flows[0]?.baseRttMs ?? 0) / 1000;
}

/** Slow start doubles the window each round trip. */
export const slowStart: Lesson = {
  id: "slow-start",
  title: "Slow start",
  idea: [
    "A sender that has just connected knows nothing of the path. It sends a few segments, ten in Linux, and waits " +
      "for their ACKs. Each segment that is acknowledged lets two more go: one in place of the old, one more. So the " +
      "window doubles each round trip, until a packet is lost.",
    "Look at the first second of the window. Packets leave in bursts, one burst a round trip, each twice as long as " +
      "the one before. The link is idle between bursts until the window has reached the bandwidth-delay product.",
  ],
  experiment: `like = "linux"
cc = "reno"
time = "6 s"
warmup = "0 s"
seeds = 1

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
`,
  question: "The round trip is made three times as long. How long does the window then take from 20 to 80 segments?",
  suggestion: { words: "Set the round-trip time to 300 ms.", set: [["dumbbell.rtt", "300 ms"]] },
  tried: (before, after) =>
    baseRtt(after) >= 1.5 * baseRtt(before) && differOnlyIn(before, after, "dumbbell.rtt", "time", "warmup"),
  observation: (before, after) =>
    `The window still doubles once a round trip. The round trip is ${times(baseRtt(after) / baseRtt(before))} as long, and ` +
    "so is the time of the same growth, nearly: slow start counts round trips, not seconds.",
  look: (before, after) => {
    const [short, long] = [doubling(before), doubling(after)];
    if (!short || !long) return { seen: false, words: "The window does not reach 80 segments in this run." };
    // A round trip with 40 segments in it is longer than the empty one by the time that the link needs for them.
    const seen = long.roundTrips >= 1 && long.roundTrips <= 1.25 && long.seconds > 1.4 * short.seconds;
    return {
      seen,
      words:
        `The window doubles in ${ms(long.seconds * 1000)}, which is ${long.roundTrips.toFixed(2)} round trips; before, in ` +
        `${ms(short.seconds * 1000)}, ${short.roundTrips.toFixed(2)} round trips.`,
    };
  },
  further: [
    {
      words: "End slow start by the rise of the round-trip time instead of a loss (HyStart++).",
      set: [["cc", "reno(slow_start=hystart++)"]],
    },
    { words: "Start with one segment, as TCP did until 1998.", set: [["tcp.initial_window", 1]] },
  ],
};
