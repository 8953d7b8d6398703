// The drawn path of one experiment with its packets. The drawing follows the settings; the packets are those of a run
// of which the engine hands over part after part.

import type { Engine } from "../engine/api";
import { colour } from "../charts/palette";
import { element } from "./dom";
import { style } from "../page/theme";
import { dotsAt, fallsFrom, LOST, MANAGED, OVERFLOW, POLICED, type Dot } from "./flight";
import { layOut, type Layout } from "./layout";
import type { NetworkView } from "./network";
import { PacketParts, type RunOfPackets } from "./packet-parts";
import { drawPath, isDrawnQueue, lineOf, QUEUE_HEIGHT, QUEUE_LENGTH, type Line } from "./path";
import type { MomentLayer } from "./transport";

/** The words beside a falling cross. */
const FALLS: Readonly<Partial<Record<number, string>>> = {
  [OVERFLOW]: "full queue",
  [MANAGED]: "queue management",
  [POLICED]: "policer",
  [LOST]: "lost on the link",
};

/** A drawn path with packets. */
export class Stage implements MomentLayer {
  readonly element: HTMLElement;
  /** Words about packets that cannot be shown. */
  readonly words = element("p", { class: "notes stage-words", role: "status" });
  private readonly place = element("div", { class: "stage-place" });
  private readonly canvas = element("canvas", { class: "packets", "aria-hidden": "true" });
  network: NetworkView | undefined;
  private layout: Layout | undefined;
  private lines: Line[] = [];
  private readonly parts: PacketParts;
  private time = 0;
  /** The canvas has something on it. */
  private inked = false;

  /** `choose` is called with the link whose settings a reader wants; `loaded` when packets have come, or will not. */
  constructor(
    engine: Engine,
    label: string,
    private readonly choose: (link: string) => void,
    loaded: () => void,
  ) {
    this.parts = new PacketParts(engine, loaded);
    this.element = element(
      "div",
      { class: "stage scroll", tabindex: 0, role: "region", "aria-label": label },
      this.place,
    );
    new ResizeObserver(() => {
      this.draw();
    }).observe(this.place);
  }

  /** Draws another network. */
  setNetwork(network: NetworkView): void {
    this.network = network;
    const layout = layOut(network);
    this.layout = layout;
    this.lines = network.links.map((_, i) => {
      const wire = layout.wires[layout.wireOf[i] ?? -1];
      return wire ? lineOf(layout, wire) : { x1: 0, y1: 0, x2: 0, y2: 0 };
    });
    this.setRun(undefined);
    const path = drawPath(network, layout, (link) => {
      this.choose(network.links[link]?.name ?? "");
    });
    // A long chain is not squeezed into the page: it scrolls.
    this.place.style.setProperty("--scale", String(layout.width / 1000));
    this.place.replaceChildren(path, this.canvas);
    this.draw();
  }

  /** Shows the packets of a run; none with undefined. */
  setRun(run: RunOfPackets | undefined): void {
    this.parts.setRun(run, this.network);
    this.show(this.time);
  }

  readyUntil(time: number): number | undefined {
    return this.parts.readyUntil(time);
  }

  show(time: number): void {
    this.time = time;
    this.parts.want(time);
    const words = this.parts.words(time);
    // A region that is filled anew is read anew.
    if (this.words.textContent !== words) this.words.textContent = words;
    this.draw();
  }

  /** Draws the moment once more, as after a change of colours. */
  draw(): void {
    const { network, layout, canvas, time } = this;
    const log = this.parts.at(time);
    // To ask for its size lays out the whole page.
    if (!log && !this.inked) return;
    const context = canvas.getContext("2d");
    if (!network || !layout || !context || canvas.clientWidth === 0) return;
    const scale = canvas.clientWidth / layout.width;
    const dense = Math.max(1, devicePixelRatio);
    const [width, height] = [Math.round(canvas.clientWidth * dense), Math.round(layout.height * scale * dense)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.setTransform(scale * dense, 0, 0, scale * dense, 0, 0);
    context.clearRect(0, 0, layout.width, layout.height);
    this.inked = log !== undefined;
    if (!log) return;
    const mark = style("--c1");
    const colours = network.flows.map((_, i) => colour(i));
    /** The last to fall of each link and cause: it has the words. */
    const fresh = new Map<string, Dot>();
    for (const dot of dotsAt(log, time)) {
      const line = this.lines[dot.link];
      if (!line) continue;
      context.fillStyle = colours[log.flow[dot.packet] ?? 0] ?? mark;
      if (dot.phase === "waiting") {
        if (isDrawnQueue(layout, dot.link)) waiting(context, line, network.links[dot.link]?.bufferPackets, dot.at);
      } else if (dot.phase === "falling") {
        const [x, y] = fallOf(line, fallsFrom(log, dot.leg), isDrawnQueue(layout, dot.link));
        fallen(context, x, y, dot.at, mark);
        const kind = `${dot.link} ${log.fate[dot.leg] ?? LOST}`;
        if (dot.at <= (fresh.get(kind)?.at ?? Infinity)) fresh.set(kind, dot);
      } else {
        const [x, y] = [line.x1 + (line.x2 - line.x1) * dot.at, line.y1 + (line.y2 - line.y1) * dot.at];
        moving(context, x, y, log.ack[dot.packet] === 1, log.again[dot.packet] === 1, mark);
      }
    }
    for (const dot of fresh.values()) {
      const line = this.lines[dot.link];
      const words = FALLS[log.fate[dot.leg] ?? LOST];
      if (!line || words === undefined) continue;
      const [x, y] = fallOf(line, fallsFrom(log, dot.leg), isDrawnQueue(layout, dot.link));
      said(context, words, x, y, dot.at, mark);
    }
  }
}

/** Data is a square, an ACK a dot; what is sent again has a frame. */
function moving(context: CanvasRenderingContext2D, x: number, y: number, ack: boolean, again: boolean, mark: string): void {
  if (ack) {
    context.beginPath();
    context.arc(x, y, again ? 3.4 : 2.6, 0, 2 * Math.PI);
    if (!again) {
      context.fill();
      return;
    }
    context.strokeStyle = context.fillStyle;
    context.lineWidth = 1.3;
    context.stroke();
    return;
  }
  context.fillRect(x - 4, y - 4, 8, 8);
  if (!again) return;
  context.strokeStyle = mark;
  context.lineWidth = 1.8;
  context.strokeRect(x - 6, y - 6, 12, 12);
}

/** Where a packet begins to fall. */
function fallOf(line: Line, from: ReturnType<typeof fallsFrom>, queue: boolean): readonly [number, number] {
  if (from === "end") return [line.x2, line.y2];
  if (from === "entry" || !queue) return [line.x1, line.y1];
  const right = line.x2 >= line.x1;
  const along = from === "front" ? 4 + QUEUE_LENGTH : 4;
  return [line.x1 + (right ? along : -along), queueTop(line) + QUEUE_HEIGHT / 2];
}

/** How far a cross falls. */
const FALL = 34;

/** The words beside a cross that falls and fades. */
function said(context: CanvasRenderingContext2D, words: string, x: number, y: number, share: number, mark: string): void {
  context.globalAlpha = 1 - share;
  context.font = `600 13px ${style("--sans")}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = style("--paper");
  context.fillStyle = mark;
  const at = [words, x + 10, y + FALL * share] as const;
  context.strokeText(...at);
  context.fillText(...at);
  context.globalAlpha = 1;
}

/** A cross that falls and fades. */
function fallen(context: CanvasRenderingContext2D, x: number, y: number, share: number, mark: string): void {
  const fall = y + FALL * share;
  context.globalAlpha = 1 - share;
  context.strokeStyle = mark;
  context.lineWidth = 2.5;
  context.beginPath();
  context.moveTo(x - 5, fall - 5);
  context.lineTo(x + 5, fall + 5);
  context.moveTo(x + 5, fall - 5);
  context.lineTo(x - 5, fall + 5);
  context.stroke();
  context.globalAlpha = 1;
}

/** The upper edge of a queue's drawing. */
const queueTop = (line: Line): number => line.y1 + (line.x2 >= line.x1 ? -QUEUE_HEIGHT - 7 : 7);

/** A packet in a queue's drawing. The front of the queue is at its inner end, where the transmitter is. */
function waiting(context: CanvasRenderingContext2D, line: Line, capacity: number | undefined, place: number): void {
  const right = line.x2 >= line.x1;
  const each = QUEUE_LENGTH / Math.max(1, capacity ?? 100);
  if (place * each >= QUEUE_LENGTH) return;
  const from = right ? line.x1 + 4 + QUEUE_LENGTH - (place + 1) * each : line.x1 - 4 - QUEUE_LENGTH + place * each;
  context.fillRect(from, queueTop(line) + 1, each > 3 ? each - 1 : each + 0.3, QUEUE_HEIGHT - 2);
}
