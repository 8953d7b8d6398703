// The drawing of a path: routers, hosts, links as thick as their rate, queues as long as their buffers, losses as a
// cross. A link is a button that leads to its settings.

import { unbroken, withUnit } from "../page/number";
import { drawing } from "./dom";
import type { Layout, Site, Wire } from "./layout";
import type { LinkView, NetworkView } from "./network";

/** Where a link is drawn: from `x1, y1` to `x2, y2`, beside the line of the other direction. */
export interface Line {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** Half of the distance between the two directions of a link. */
const APART = 9;
/** From a site's middle to the end of its links. */
const ROUTER = 24;
const HOST = 20;
/** A queue's drawing. */
export const QUEUE_LENGTH = 64;
export const QUEUE_HEIGHT = 12;

/** The line of a wire, shortened by its sites and moved to the right of its direction. */
export function lineOf(layout: Layout, wire: Wire): Line {
  const from = layout.sites[wire.from];
  const to = layout.sites[wire.to];
  if (!from || !to) return { x1: 0, y1: 0, x2: 0, y2: 0 };
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const [sx, sy] = [uy * APART, -ux * APART];
  const off = (site: Site): number => (site.kind === "host" ? HOST : ROUTER);
  return {
    x1: from.x + ux * off(from) + sx,
    y1: from.y + uy * off(from) + sy,
    x2: to.x - ux * off(to) + sx,
    y2: to.y - uy * off(to) + sy,
  };
}

/** How thick a link of this rate is drawn: a step more for ten times the rate. */
export function thickness(rateBps: number | undefined): number {
  return rateBps === undefined ? 3 : Math.min(9, Math.max(1.5, 1.5 + 1.5 * Math.log10(rateBps / 1e5)));
}

/** A rate in words. */
export function rateWords(rateBps: number | undefined): string {
  if (rateBps === undefined) return "recorded rate";
  const [size, unit] =
    rateBps >= 1e9 ? [1e9, "Gbit/s"] : rateBps >= 1e6 ? [1e6, "Mbit/s"] : [1e3, "kbit/s"];
  return withUnit(Number((rateBps / size).toPrecision(3)), unit);
}

/** A time in words. */
export function timeWords(seconds: number): string {
  if (seconds >= 1) return withUnit(Number(seconds.toPrecision(3)), "s");
  if (seconds >= 1e-3) return withUnit(Number((seconds * 1e3).toPrecision(3)), "ms");
  return withUnit(Number((seconds * 1e6).toPrecision(3)), "us");
}

/** A link in a sentence, for those who hear it and for the pointer. */
export function linkWords(link: LinkView): string {
  const parts = [rateWords(link.rateBps), `${timeWords(link.delayS)} one way`];
  if (link.buffer !== "") parts.push(`buffer ${link.buffer}`);
  if (link.queue !== "" && link.queue !== "droptail") parts.push(`queue ${link.queue}`);
  if (link.loss !== "" && link.loss !== "none") parts.push(`loss ${unbroken(link.loss)}`);
  return `${link.name}: ${parts.join(", ")}`;
}

/** True of links that have a queue of interest: not those of hosts. */
export function isDrawnQueue(layout: Layout, link: number): boolean {
  const wire = layout.wires[layout.wireOf[link] ?? -1];
  return wire !== undefined && !wire.access;
}

/** Draws a network. `choose` is called with a link whose settings are wanted. */
export function drawPath(network: NetworkView, layout: Layout, choose: (link: number) => void): SVGSVGElement {
  const root = drawing("svg", {
    viewBox: `0 0 ${layout.width} ${Math.round(layout.height)}`,
    class: "path",
    role: "group",
    "aria-label": `The path: ${network.links.filter((_, i) => isDrawnQueue(layout, i)).map(linkWords).join("; ")}`,
  });
  for (const wire of layout.wires) root.append(...drawWire(network, layout, wire, choose));
  root.append(...accessCaptions(network, layout));
  layout.sites.forEach((site, i) => { root.append(drawSite(site, i)); });
  return root;
}

function drawWire(
  network: NetworkView,
  layout: Layout,
  wire: Wire,
  choose: (link: number) => void,
): SVGElement[] {
  const [number = 0] = wire.links;
  const link = network.links[number];
  const { x1, y1, x2, y2 } = lineOf(layout, wire);
  const drawn = drawing("line", {
    x1,
    y1,
    x2,
    y2,
    class: "wire",
    "stroke-width": thickness(link?.rateBps).toFixed(1),
  });
  if (!link || wire.access) return [drawing("g", { class: "access" }, drawn)];
  const words = linkWords(link);
  const act = (event: Event): void => {
    if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(number);
  };
  const [ux, uy] = unit(x1, y1, x2, y2);
  // The queue stands at the link's beginning, on the outer side of the pair of lines.
  const queue = drawing("rect", {
    x: x1 + ux * 4 - (ux < 0 ? QUEUE_LENGTH : 0),
    y: y1 + (ux >= 0 ? -QUEUE_HEIGHT - 7 : 7),
    width: QUEUE_LENGTH,
    height: QUEUE_HEIGHT,
    class: "queue",
  });
  const lossy = link.loss !== "" && link.loss !== "none";
  const [lx, ly] = [x1 + (x2 - x1) * 0.86, y1 + (y2 - y1) * 0.86];
  const cross = lossy
    ? drawing("path", { d: `M${lx - 6} ${ly - 6}l12 12m0 -12l-12 12`, class: "loss" })
    : undefined;
  const forward = ux > 0 || (ux === 0 && uy > 0);
  // A way back like the way there needs no words of its own.
  const twin = network.links.find((one) => one.from === link.to && one.to === link.from);
  const alike = !forward && twin?.rateBps === link.rateBps && twin?.delayS === link.delayS && !lossy;
  const middle = { x: (x1 + x2) / 2, "text-anchor": "middle" };
  const second = `${timeWords(link.delayS)}${lossy ? ", loses " : ""}`;
  const caption = alike
    ? undefined
    : drawing(
        "text",
        { class: "caption", y: (y1 + y2) / 2 + (forward ? -29 : 58) },
        drawing("tspan", { ...middle, dy: "-1.2em", class: "strong" }, rateWords(link.rateBps)),
        drawing("tspan", { ...middle, dy: "1.2em" }, second, lossy && drawing("tspan", { class: "loss-words" }, link.loss)),
      );
  const shape = drawing(
    "g",
    { class: "link", role: "button", tabindex: 0, "aria-label": `${words}. Change it`, click: act, keydown: act },
    drawing("title", {}, words),
    drawing("line", { x1, y1, x2, y2, class: "touch" }),
    drawn,
    queue,
    cross,
  );
  // The words stand beside the button: its name says more than they do.
  return caption ? [shape, caption] : [shape];
}

/** The delays of the access links that a line stands for: the round trip is theirs, too. Empty without a delay. */
export function accessWords({ links }: NetworkView, wire: Wire): string {
  const delays = wire.links.map((link) => links[link]?.delayS ?? 0);
  const [least, most] = [Math.min(...delays), Math.max(...delays)].map(timeWords);
  if (Math.max(...delays) === 0) return "";
  return least === most ? `${most}` : `${least} to ${most}`;
}

/** The words beside the lines from hosts, once for all groups at a router that are as far from it. */
function accessCaptions(network: NetworkView, layout: Layout): SVGElement[] {
  const said = new Set<string>();
  return layout.wires.flatMap((wire) => {
    const [host, router] = [layout.sites[wire.from], layout.sites[wire.to]];
    const words = accessWords(network, wire);
    const key = `${wire.to} ${words}`;
    if (!wire.access || host?.kind !== "host" || !router || words === "" || said.has(key)) return [];
    said.add(key);
    const [x, y] = [(host.x + router.x) / 2, (host.y + router.y) / 2];
    const upright = Math.abs(router.y - host.y) > Math.abs(router.x - host.x);
    const place = upright ? { x: x + 18, y: y + 20, "text-anchor": "start" } : { x, y: y - 16, "text-anchor": "middle" };
    return [drawing("text", { class: "caption of-access", ...place }, words)];
  });
}

function unit(x1: number, y1: number, x2: number, y2: number): [number, number] {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  return [(x2 - x1) / length, (y2 - y1) / length];
}

/** So many letters of a name have room beside those of the next site. */
const NAME_LETTERS = 18;

/** A name as it has room at its site. */
export function shortName(name: string): string {
  return name.length > NAME_LETTERS ? `${name.slice(0, NAME_LETTERS - 1)}\u2026` : name;
}

function drawSite(site: Site, number: number): SVGElement {
  const name = shortName(site.label);
  const label = site.count > 1 ? `${name} x ${site.count}` : name;
  const host = site.kind === "host";
  const shape = host
    ? drawing("rect", { x: site.x - 17, y: site.y - 14, width: 34, height: 26, rx: 3, class: "host" })
    : drawing("circle", { cx: site.x, cy: site.y, r: 20, class: "router" });
  const sign = host
    ? drawing("path", { d: `M${site.x - 8} ${site.y + 17}h16`, class: "host-foot" })
    : drawing("path", {
        d: `M${site.x - 10} ${site.y - 4}h16l-4 -4m4 4l-4 4M${site.x + 10} ${site.y + 5}h-16l4 -4m-4 4l4 4`,
        class: "router-sign",
      });
  return drawing(
    "g",
    { class: "site", "data-site": number },
    name !== site.label && drawing("title", {}, site.label),
    shape,
    sign,
    drawing("text", { x: site.x, y: site.y + (host ? 38 : 41), "text-anchor": "middle" }, label),
  );
}
