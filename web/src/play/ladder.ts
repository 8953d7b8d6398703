// The sequence diagram around a loss: time runs downward, the sender stands left and the receiver right, each packet
// is an arrow. The losses worth a look are those of the log; the diagram shows what led to a retransmission.

import { withUnit } from "../page/number";
import type { TableText } from "../page/table";
import { drawing } from "./dom";
import { arrows, type Arrow, type ArrowFate, type PacketLog } from "./flight";
import type { NetworkView } from "./network";

const WIDTH = 720;
const LEFT = 150;
const RIGHT = 570;
const TOP = 34;

/** The part of a run that a diagram shows, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The fate of packets that vanished. */
const GONE: Readonly<Partial<Record<ArrowFate, string>>> = {
  overflow: "dropped by a full queue",
  managed: "dropped by queue management",
  policed: "dropped by the policer",
  lost: "lost on the link",
};

/** Data that vanished, in the order of departure. */
export function losses(all: readonly Arrow[]): Arrow[] {
  return all.filter((arrow) => !arrow.ack && GONE[arrow.fate] !== undefined);
}

/** How many of these packets vanished, and how, for those who hear the diagram. */
export function lossWords(shown: readonly Arrow[]): string {
  const parts = Object.entries(GONE).flatMap(([fate, words]) => {
    const count = shown.filter((arrow) => arrow.fate === fate).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return parts.length === 0 ? "none lost" : parts.join(", ");
}

/** The time around a loss: from shortly before its departure to the ACK that its repair brings. */
export function around(all: readonly Arrow[], loss: Arrow): Span {
  const repair = all.find(
    (arrow) => !arrow.ack && arrow.again && arrow.segment === loss.segment && arrow.sent > loss.sent,
  );
  const closing = repair && all.find((arrow) => arrow.ack && arrow.segment > loss.segment && arrow.sent >= (repair.ended ?? repair.sent));
  const end = closing?.ended ?? repair?.ended ?? loss.sent;
  const length = Math.max(end - loss.sent, 1e-3);
  return { from: loss.sent - 0.15 * length, to: loss.sent + 1.08 * length };
}

/** Arrows that a diagram has room for. */
const ROOM = 56;

/**
 * The arrows of a diagram that has no room for all: those of the lost segment and the ACK that closes its gap always, of
 * the others each so manieth.
 */
export function sampled(shown: readonly Arrow[], loss: Arrow): { arrows: Arrow[]; every: number } {
  const every = Math.max(1, Math.ceil(shown.length / ROOM));
  const closing = shown.find((arrow) => arrow.ack && arrow.segment > loss.segment && !arrow.again);
  const counts = { data: 0, ack: 0 };
  const arrows = shown.filter((arrow) => {
    const kind = arrow.ack ? "ack" : "data";
    const turn = counts[kind]++ % every === 0;
    return turn || arrow === closing || (!arrow.ack && arrow.segment === loss.segment);
  });
  return { arrows, every };
}

/** The arrows within a span. */
export function within(all: readonly Arrow[], span: Span): Arrow[] {
  return all.filter((arrow) => arrow.sent <= span.to && (arrow.ended ?? arrow.sent) >= span.from);
}

/** An arrow in words, for the table behind the diagram. */
export function arrowWords(arrow: Arrow): string {
  if (arrow.ack) {
    const which = arrow.again ? "duplicate ACK" : "ACK";
    return [which, `segment ${arrow.segment} is awaited`, GONE[arrow.fate]].filter((words) => words !== undefined).join(", ");
  }
  const sent = arrow.again ? "sent again" : "sent";
  return [`segment ${arrow.segment} ${sent}`, GONE[arrow.fate]].filter((words) => words !== undefined).join(", ");
}

/** The packets of a span in a table: where several flows meet those of all, each with its flow. */
export function packetTable(log: PacketLog, network: NetworkView, span: Span): TableText {
  const several = network.flows.length > 1;
  const all = network.flows.flatMap(({ name }, flow) => within(arrows(log, network, flow), span).map((arrow) => ({ name, arrow })));
  all.sort((a, b) => a.arrow.sent - b.arrow.sent);
  return {
    caption: several ? "Packets of all flows in the time of the diagram" : "Packets of the diagram",
    head: ["Sent", ...(several ? ["Flow"] : []), "Packet", "Ends"],
    words: ["Flow", "Packet"],
    rows: all.map(({ name, arrow }) => [
      withUnit(arrow.sent.toFixed(5), "s"),
      ...(several ? [name] : []),
      arrowWords(arrow),
      arrow.ended === undefined ? "" : withUnit(arrow.ended.toFixed(5), "s"),
    ]),
  };
}

/**
 * The arrows whose labels have room, so many units apart: the lost segment's and the ACK's that closes its gap always,
 * of the others those that keep their distance from all before.
 */
export function labelled(shown: readonly Arrow[], loss: Arrow, y: (time: number) => number, apart: number): Set<Arrow> {
  const closing = shown.find((arrow) => arrow.ack && arrow.segment > loss.segment && !arrow.again && arrow.sent > loss.sent);
  const first = shown.filter((arrow) => arrow === closing || (!arrow.ack && arrow.segment === loss.segment));
  const found = new Set(first);
  const heights = (ack: boolean): number[] => first.filter((arrow) => arrow.ack === ack).map((arrow) => y(arrow.sent));
  const taken = { data: heights(false), ack: heights(true) };
  for (const arrow of shown) {
    const side = taken[arrow.ack ? "ack" : "data"];
    const at = y(arrow.sent);
    if (found.has(arrow) || side.some((other) => Math.abs(other - at) < apart)) continue;
    side.push(at);
    found.add(arrow);
  }
  return found;
}

/** The least distance of two labels: the size of the largest, and a pixel. */
const LABELS_APART = 13;

/** Draws the arrows of a span around a loss. Labels stand where there is room for them. */
export function drawLadder(shown: readonly Arrow[], loss: Arrow, span: Span, height: number): SVGSVGElement {
  const marks = ticks(span);
  const digits = digitsOf(span);
  const y = (time: number): number => TOP + ((time - span.from) / (span.to - span.from)) * (height - TOP - 10);
  const root = drawing("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`,
    class: "ladder",
    role: "img",
    "aria-label":
      `Sequence diagram from ${withUnit(Math.max(0, span.from).toFixed(digits), "s")} to ${withUnit(span.to.toFixed(digits), "s")}; of the packets drawn ${lossWords(shown)}; ` +
      "the table below has all packets of that time",
  });
  for (const tick of marks) {
    root.append(
      drawing("line", { x1: 66, y1: y(tick), x2: RIGHT, y2: y(tick), class: "tick" }),
      drawing("text", { x: 60, y: y(tick) + 4, "text-anchor": "end", class: "tick-words" }, withUnit(tick.toFixed(digits), "s")),
    );
  }
  const labels = labelled(shown, loss, y, LABELS_APART);
  let lastGone = -Infinity;
  for (const arrow of shown) {
    const [from, to] = arrow.ack ? [RIGHT, LEFT] : [LEFT, RIGHT];
    const gone = GONE[arrow.fate];
    const x2 = gone !== undefined ? from + (to - from) * Math.min(0.96, Math.max(0.3, arrow.share)) : to;
    const [y1, y2] = [y(arrow.sent), y(Math.min(arrow.ended ?? span.to, span.to + (span.to - span.from)))];
    const kind = gone !== undefined ? "gone" : arrow.ack ? (arrow.again ? "duplicate" : "ack") : arrow.again ? "again" : "data";
    root.append(drawing("line", { x1: from, y1, x2, y2, class: `arrow ${kind}` }));
    if (gone !== undefined) {
      const cross = { d: `M${x2 - 5} ${y2 - 5}l10 10m0 -10l-10 10`, class: "loss" };
      root.append(drawing("path", cross, drawing("title", {}, gone)));
      // Where many vanish together, one word stands for all of them.
      if (y2 - lastGone >= 13) {
        lastGone = y2;
        // The words stand on the side that has room for them.
        const before = 2 * x2 > LEFT + RIGHT;
        const place = { x: x2 + (before ? -10 : 10), y: y2 + 4, "text-anchor": before ? "end" : "start" };
        root.append(drawing("text", { ...place, class: "arrow-words cause" }, gone));
      }
    }
    if (!labels.has(arrow)) continue;
    const word = arrow.ack ? `ACK ${arrow.segment}` : `${arrow.segment}${arrow.again ? " again" : ""}`;
    root.append(
      drawing(
        "text",
        {
          x: arrow.ack ? RIGHT + 8 : LEFT - 8,
          y: y1 + 4,
          "text-anchor": arrow.ack ? "start" : "end",
          class: `arrow-words ${kind}`,
        },
        word,
      ),
    );
  }
  // The heads hide what began before the span.
  root.append(
    drawing("rect", { x: 0, y: 0, width: WIDTH, height: TOP - 6, class: "head" }),
    drawing("text", { x: LEFT, y: 16, "text-anchor": "middle", class: "strong" }, "sender"),
    drawing("text", { x: RIGHT, y: 16, "text-anchor": "middle", class: "strong" }, "receiver"),
    drawing("line", { x1: LEFT, y1: TOP - 8, x2: LEFT, y2: height, class: "lifeline" }),
    drawing("line", { x1: RIGHT, y1: TOP - 8, x2: RIGHT, y2: height, class: "lifeline" }),
  );
  return root;
}

/** The time between two ticks of a span. */
function stepOf(span: Span): number {
  const rough = (span.to - span.from) / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((n) => n * power).find((size) => size >= rough) ?? rough;
}

/** The digits after the point by which the ticks of a span differ, three at least. */
export function digitsOf(span: Span): number {
  return Math.min(9, Math.max(3, Math.ceil(-Math.log10(stepOf(span)) - 1e-9)));
}

/** Round moments of a run within a span, about eight. */
export function ticks(span: Span): number[] {
  const step = stepOf(span);
  const first = Math.ceil(Math.max(0, span.from) / step);
  const last = Math.floor(span.to / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}
