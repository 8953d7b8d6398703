/** Experiments of the tests, each for what it has that others have not. */

const comparison = (lines: string): string => `
name = "comparison"
time = "10s"
warmup = "2s"
seeds = 2
${lines}
`;

/** Five flows, random losses, BBR beside window controllers. */
export const lossy = comparison(`
cc = ["reno", "westwood", "bbr"]
[dumbbell]
rate = "10Mbit/s"
rtt = "70ms"
loss = "0.5%"
flows = 5
`);

/** Losses in bursts. */
export const bursts = comparison(`
cc = ["westwood+", "cubic"]
[dumbbell]
rate = "5Mbit/s"
rtt = "40ms"
loss = "gilbert(good=500ms,bad=20ms,p=50%)"
`);

/** One flow, no chance, a drop-tail queue: the sawtooth. */
export const sawtooth = `
name = "sawtooth"
time = "20s"
warmup = "0s"
seeds = 1
cc = "reno"
[dumbbell]
rate = "2Mbit/s"
rtt = "100ms"
buffer = "10pkt"
`;
