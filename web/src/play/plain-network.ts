// The network of a plain dumbbell, from its tables alone: its drawing is the page's first picture, while the engine is
// still being unpacked. The engine's plan then takes its place; every other experiment waits for that.

import { field, isTable, type Tables, type Value } from "./experiment";
import type { LinkView, NetworkView } from "./network";
import { withUnit } from "../page/number";
import { BDP, LOSS, parseQuantity, RATE, TIME, type Scale } from "./quantity";
import type { SettingNames } from "./setting-names";

/** Settings that change nothing of the drawing, and those that are read here. */
const TOP: readonly SettingNames[""][] = ["about", "cc", "like", "time", "warmup", "seed", "seeds", "dumbbell", "sweep"];
const PATH: readonly SettingNames["dumbbell"][] = ["rate", "rtt", "buffer", "loss", "flows"];

/** Bytes of a full packet. */
const PACKET_BYTES = 1500;
/** Hosts whose buffers do not count the packet in service, as those of ns-2 do. */
const HOSTS = ["rfc", "linux", "linux-6.18"];
/** More flows than these are no first picture. */
const MOST_FLOWS = 100;
/** An access link is so many times as fast as the bottleneck. */
const ACCESS = 10;
/** The propagation of the bottleneck, one way, in seconds, where a round trip leaves as much to the access links. */
const BOTTLENECK_S = 0.01;

/** The network that these tables mean; undefined where the engine alone can tell. */
export function plainNetwork(tables: Tables): NetworkView | undefined {
  const { dumbbell, sweep, like = "rfc" } = tables;
  const has = (table: Tables, only: readonly string[]): boolean => Object.keys(table).every((name) => only.includes(name));
  if (!isTable(dumbbell) || !has(tables, TOP) || !has(dumbbell, PATH)) return undefined;
  if (sweep !== undefined && !(isTable(sweep) && has(sweep, ["cc"]))) return undefined;
  if (typeof like !== "string" || !HOSTS.includes(like)) return undefined;
  const read = (name: SettingNames["dumbbell"], scale: Scale, usual: string): number | undefined => quantity(dumbbell[name] ?? usual, scale);
  const rate = read("rate", RATE, "10 Mbit/s");
  const rtt = read("rtt", TIME, "100 ms");
  const bdps = read("buffer", BDP, "1 bdp");
  const lost = read("loss", LOSS, "none");
  const flows = field(tables, "dumbbell.flows") ?? 1;
  if (rate === undefined || rtt === undefined || bdps === undefined || lost === undefined || typeof flows !== "number" || flows < 1 || flows > MOST_FLOWS) return undefined;
  // A text of decimals may come out a little below the whole number that it means.
  const packets = Math.max(1, Math.floor(((rate * rtt) / 8 / PACKET_BYTES) * bdps * (1 + 1e-12)));
  const loss = typeof dumbbell.loss === "string" && lost > 0 ? dumbbell.loss.replace(/\s/g, "") : "";
  const one = Math.min(BOTTLENECK_S, rtt / 4);
  const hop: Omit<LinkView, "name" | "from" | "to" | "loss"> = {
    rateBps: rate,
    delayS: one,
    bufferPackets: packets,
    buffer: withUnit(packets, "packets"),
    queue: "",
  };
  const [left, right] = [0, 1];
  const nodes = ["left", "right"];
  const links: LinkView[] = [
    { ...hop, name: "bottleneck", from: left, to: right, loss },
    { ...hop, name: "bottleneck return", from: right, to: left, loss: "" },
  ];
  const all = Array.from({ length: flows }, (_, i) => {
    const name = `flow ${i + 1}`;
    const [sender, receiver] = [nodes.push(`sender of ${name}`) - 1, nodes.push(`receiver of ${name}`) - 1];
    const ends = [[sender, left], [right, receiver], [receiver, right], [left, sender]] as const;
    const [first = 0, second = 0, third = 0, fourth = 0] = ends.map(([from, to], k) => links.push({
      name: `access ${name}.${k}`,
      from,
      to,
      rateBps: ACCESS * rate,
      delayS: (rtt / 2 - one) / 2,
      bufferPackets: undefined,
      buffer: "",
      queue: "",
      loss: "",
    }) - 1);
    return { name, group: "flow", from: sender, to: receiver, path: [first, 0, second], back: [third, 1, fourth] };
  });
  return { nodes, links, flows: all, measuredLink: 0 };
}

function quantity(value: Value, scale: Scale): number | undefined {
  return typeof value === "string" ? parseQuantity(value, scale) : undefined;
}
