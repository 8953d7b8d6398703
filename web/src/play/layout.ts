// Where the nodes of a network are drawn. The way of the first flow is a line from left to right, whose gaps
// are as long as their links' delays; other routers hang above and below it. Hosts of one group at one router are
// drawn once, with their number.

import type { NetworkView } from "./network";

/** A node as it is drawn: a router, or the hosts of a group at one router. */
export interface Site {
  readonly x: number;
  readonly y: number;
  readonly kind: "router" | "host";
  /** The router's name, or the group's. */
  readonly label: string;
  /** How many hosts it stands for. */
  readonly count: number;
}

/** A line between two sites, for each link that it stands for. */
export interface Wire {
  /** Places in the list of sites. */
  readonly from: number;
  readonly to: number;
  /** The links that it stands for: one, or the access links of a group. */
  readonly links: readonly number[];
  /** An access link, which never drops. */
  readonly access: boolean;
}

/** A drawn network. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly sites: readonly Site[];
  readonly wires: readonly Wire[];
  /** The site of each node. */
  readonly siteOf: readonly number[];
  /** The wire of each link. */
  readonly wireOf: readonly number[];
}

/** The least width of a drawing, and the least of each gap between two routers. */
const WIDTH = 1000;
const GAP = 150;
const ROW = 96;
const MARGIN = 70;

/**
 * Nodes that are the end of a flow and have a single neighbour: hosts with access links of their own. Where fewer than
 * two nodes are left between them, all are drawn as routers.
 */
function hostsOf(network: NetworkView): Set<number> {
  const neighbours = network.nodes.map(() => new Set<number>());
  for (const link of network.links) {
    neighbours[link.from]?.add(link.to);
    neighbours[link.to]?.add(link.from);
  }
  const ends = network.flows.flatMap((flow) => [flow.from, flow.to]);
  const hosts = new Set(ends.filter((node) => neighbours[node]?.size === 1));
  return network.nodes.length - hosts.size >= 2 ? hosts : new Set();
}

/** The column and row of each router. The first flow's way is row 0. */
function placeRouters(network: NetworkView, hosts: Set<number>): Map<number, { column: number; row: number }> {
  const placed = new Map<number, { column: number; row: number }>();
  const [first] = network.flows;
  const line = first ? [first.from, ...first.path.map((link) => network.links[link]?.to ?? 0)] : [];
  line
    .filter((node) => !hosts.has(node))
    .forEach((node, column) => {
      if (!placed.has(node)) placed.set(node, { column, row: 0 });
    });
  const taken = new Set([...placed.values()].map((at) => `${at.column} ${at.row}`));
  const settle = (node: number, column: number): void => {
    for (const row of [0, 1, -1, 2, -2, 3, -3, 4, -4]) {
      if (taken.has(`${column} ${row}`)) continue;
      taken.add(`${column} ${row}`);
      placed.set(node, { column, row });
      return;
    }
    placed.set(node, { column, row: 5 });
  };
  for (let before = -1; before !== placed.size; ) {
    before = placed.size;
    for (const link of network.links) {
      const [from, to] = [placed.get(link.from), placed.get(link.to)];
      if (hosts.has(link.from) || hosts.has(link.to)) continue;
      if (from && !to) settle(link.to, from.column + 1);
      else if (to && !from) settle(link.from, to.column - 1);
    }
  }
  network.nodes.forEach((_, node) => {
    if (!hosts.has(node) && !placed.has(node)) settle(node, 0);
  });
  return placed;
}

/** Places everything on a canvas of WIDTH units, or more for a long chain. */
export function layOut(network: NetworkView): Layout {
  const hosts = hostsOf(network);
  const placed = placeRouters(network, hosts);
  const columns = [...placed.values()].map((at) => at.column);
  const [firstColumn, lastColumn] = [Math.min(0, ...columns), Math.max(0, ...columns)];

  // Hosts of a group at a router, by what they do.
  interface Cluster {
    router: number;
    label: string;
    sends: boolean;
    nodes: Set<number>;
  }
  const clusters = new Map<string, Cluster>();
  const routerOf = (node: number): number => {
    const link = network.links.find((one) => one.from === node || one.to === node);
    return link ? (link.from === node ? link.to : link.from) : node;
  };
  for (const flow of network.flows) {
    for (const [node, sends] of [
      [flow.from, true],
      [flow.to, false],
    ] as const) {
      if (!hosts.has(node)) continue;
      const router = routerOf(node);
      const key = `${router} ${flow.group} ${String(sends)}`;
      const cluster = clusters.get(key) ?? { router, label: flow.group, sends, nodes: new Set() };
      cluster.nodes.add(node);
      clusters.set(key, cluster);
    }
  }

  // Gaps between columns: as long as the longest delay that crosses them, and room for a queue's drawing.
  const delayOf = (column: number): number => {
    let longest = 0;
    for (const link of network.links) {
      const [from, to] = [placed.get(link.from), placed.get(link.to)];
      const left = from && to ? Math.min(from.column, to.column) : undefined;
      const edge =
        hosts.has(link.from) && to
          ? to.column === column + 1 && to.column === firstColumn
          : hosts.has(link.to) && from
            ? from.column === column && from.column === lastColumn
            : false;
      if (left === column || edge) longest = Math.max(longest, link.delayS);
    }
    return longest;
  };
  const gapColumns = Array.from({ length: lastColumn - firstColumn + 2 }, (_, i) => firstColumn - 1 + i);
  const delays = gapColumns.map(delayOf);
  const total = delays.reduce((sum, delay) => sum + delay, 0);
  const width = Math.max(WIDTH, 2 * MARGIN + GAP * gapColumns.length);
  // A part of the room is shared evenly, so that there is some for words beside a link without delay.
  const room = width - 2 * MARGIN;
  const even = Math.min(GAP, (0.8 * room) / gapColumns.length);
  const left = room - even * gapColumns.length;
  const gaps = delays.map((delay) => even + left * (total > 0 ? delay / total : 1 / gapColumns.length));
  const xOf = (column: number): number =>
    MARGIN + gaps.slice(0, column - firstColumn + 1).reduce((sum, gap) => sum + gap, 0);

  const rows = [...placed.values()].map((at) => at.row);
  const sites: Site[] = [];
  const siteOf: number[] = network.nodes.map(() => 0);
  for (const [node, at] of placed) {
    siteOf[node] = sites.length;
    sites.push({
      x: xOf(at.column),
      y: at.row * ROW,
      kind: "router",
      label: network.nodes[node] ?? "",
      count: 1,
    });
  }

  // Hosts stand left of the first column, right of the last one, or above and below a router between.
  const beside = new Map<string, Cluster[]>();
  const sideOf = (cluster: Cluster): string => {
    const at = placed.get(cluster.router);
    if (at?.column === firstColumn && firstColumn !== lastColumn) return `left ${at.row}`;
    if (at?.column === lastColumn && firstColumn !== lastColumn) return `right ${at.row}`;
    if (firstColumn === lastColumn) return cluster.sends ? "left 0" : "right 0";
    return `${cluster.sends ? "above" : "below"} ${cluster.router}`;
  };
  for (const cluster of clusters.values()) {
    const side = sideOf(cluster);
    beside.set(side, [...(beside.get(side) ?? []), cluster]);
  }
  for (const [side, list] of beside) {
    const [where] = side.split(" ");
    list.forEach((cluster, i) => {
      const router = sites[siteOf[cluster.router] ?? 0];
      const spread = i - (list.length - 1) / 2;
      const flank = where === "above" || where === "below";
      const x =
        where === "left"
          ? xOf(firstColumn - 1)
          : where === "right"
            ? xOf(lastColumn + 1)
            : (router?.x ?? 0) + spread * 80;
      const y = (router?.y ?? 0) + (flank ? (where === "above" ? -ROW : ROW) : spread * ROW * 0.85);
      for (const node of cluster.nodes) siteOf[node] = sites.length;
      sites.push({ x, y, kind: "host", label: cluster.label, count: cluster.nodes.size });
    });
  }

  const wires: { from: number; to: number; links: number[]; access: boolean }[] = [];
  const byEnds = new Map<string, number>();
  const wireOf = network.links.map((link, i) => {
    const [from, to] = [siteOf[link.from] ?? 0, siteOf[link.to] ?? 0];
    const access = hosts.has(link.from) || hosts.has(link.to);
    const key = `${from} ${to}${access ? "" : ` ${i}`}`;
    const at = byEnds.get(key) ?? wires.length;
    byEnds.set(key, at);
    const wire = wires[at];
    if (wire) wire.links.push(i);
    else wires.push({ from, to, links: [i], access });
    return at;
  });

  const ys = sites.map((site) => site.y);
  const top = Math.min(...ys, ...rows.map((row) => row * ROW)) - 84;
  const bottom = Math.max(...ys) + 56;
  return {
    width,
    height: bottom - top,
    sites: sites.map((site) => ({ ...site, y: site.y - top })),
    wires,
    siteOf,
    wireOf,
  };
}
