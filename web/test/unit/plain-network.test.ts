import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../src/engine/api.js";
import { parseToml } from "../../src/play/experiment.js";
import { layOut } from "../../src/play/layout.js";
import { LESSONS } from "../../src/play/lessons/index.js";
import type { NetworkView } from "../../src/play/network.js";
import { networkView } from "../../src/play/packets.js";
import { accessWords, linkWords, rateWords, thickness } from "../../src/play/path.js";
import { plainNetwork } from "../../src/play/plain-network.js";
import { FIRST } from "../../src/play/presets.js";
import { engineModule } from "../support/engine.js";

/** All that a drawing shows of a network. */
function shown(network: NetworkView): unknown {
  const { width, height, sites, wires, siteOf, wireOf } = layOut(network);
  const rounded = sites.map((site) => ({ ...site, x: site.x.toFixed(6), y: site.y.toFixed(6) }));
  const links = network.links.map((link) => [link.from, link.to, linkWords(link), rateWords(link.rateBps), thickness(link.rateBps).toFixed(3), link.bufferPackets]);
  const { nodes, flows, measuredLink } = network;
  return { width, height, rounded, wires, siteOf, wireOf, links, nodes, flows, measuredLink };
}

const module = await engineModule();

/** The first network of the engine's plan. */
function planned(toml: string): NetworkView {
  const [network] = (module.ask({ do: "plan", toml, set: [], files: {}, brief: false }).ok as Plan).networks;
  assert.ok(network);
  return networkView(network);
}

/** Every combination of these settings of a path. */
function paths(): string[] {
  const settings = {
    rate: ["", "800 kbit/s", "3.3Mbit/s", "10 Mbit/s", "1 Gbit/s"],
    rtt: ["", "7 ms", "40ms", "100 ms", "0.6 s"],
    buffer: ["", "0.1 bdp", "1 bdp", "1.5bdp", "7 bdp"],
    loss: ["", "none", "0.1 %", "2%"],
    flows: ["", "1", "3"],
  };
  return Object.entries(settings).reduce<string[]>((all, [name, values]) => all.flatMap((text) => values.map((value) => {
    const written = name === "flows" ? value : JSON.stringify(value);
    return value === "" ? text : `${text}${name} = ${written}\n`;
  })), ["\n[dumbbell]\n"]);
}

test("the network of a plain experiment is drawn without the engine as with it", () => {
  const heads = ['like = "linux"\n', 'cc = "reno"\ntime = "20 s"\n', 'like = "rfc"\ncc = ["reno", "vegas"]\nseeds = 2\n', 'like = "linux-6.18"\n'];
  paths().forEach((path, i) => {
    const toml = (heads[i % heads.length] ?? "") + path;
    const network = plainNetwork(parseToml(toml));
    assert.ok(network, toml);
    assert.deepEqual(shown(network), shown(planned(toml)), toml);
  });
});

test("the first experiment and most lessons are plain, and all of those that are", () => {
  const texts = [FIRST, ...LESSONS.map(({ experiment }) => experiment)];
  const plain = texts.filter((toml) => plainNetwork(parseToml(toml)) !== undefined);
  assert.ok(plain.includes(FIRST));
  assert.ok(plain.length > texts.length / 2, `${plain.length} of ${texts.length}`);
  for (const toml of plain) {
    const network = plainNetwork(parseToml(toml));
    assert.ok(network);
    assert.deepEqual(shown(network), shown(planned(toml)), toml);
  }
});

test("an experiment that is not plain waits for the engine", () => {
  const others = [
    'like = "ns-2"\ncc = "reno"\n[dumbbell]\n',
    'cc = "reno"\n[dumbbell]\naqm = "codel"\n',
    'cc = "reno"\n[dumbbell]\nrate = "fast"\n',
    'cc = "reno"\n[dumbbell]\nrate = 5\n',
    'cc = "reno"\n[dumbbell]\nbuffer = "20 pkt"\n',
    'cc = "reno"\n[dumbbell]\nloss = "burst(1%, 3)"\n',
    'cc = "reno"\n[dumbbell]\nflows = 0\n',
    'cc = "reno"\n[dumbbell]\nflows = 1000000\n',
    'cc = "reno"\n[tcp]\nmss = "500 B"\n[dumbbell]\n',
    'cc = "reno"\n[dumbbell]\n[sweep]\n"dumbbell.rate" = ["5 Mbit/s", "2 Mbit/s"]\n',
    'cc = "reno"\n[[link]]\nname = "hop"\nfrom = "a"\nto = "b"\nrate = "5 Mbit/s"\n',
    "",
  ];
  for (const toml of others) assert.equal(plainNetwork(parseToml(toml)), undefined, toml);
});

/** The names of the hosts and of the routers of a drawing, and the words at its access lines, each once. */
function sitesOf(toml: string): { hosts: string[]; routers: string[]; access: string[] } {
  const network = planned(toml);
  const { sites, wires } = layOut(network);
  const of = (kind: string): string[] => sites.filter((site) => site.kind === kind).map((site) => site.label).sort();
  const access = wires.filter((wire) => wire.access).map((wire) => accessWords(network, wire));
  return { hosts: of("host"), routers: of("router"), access: [...new Set(access)].sort() };
}

const UDP = 'cc = "reno"\n[dumbbell]\nrtt = "100 ms"\n[[flow]]\nname = "udp"\nfrom = "left"\nto = "right"\nudp = { rate = "2 Mbit/s" }\n';

test("flows between the routers leave the hosts of others hosts", () => {
  const { hosts, routers } = sitesOf(UDP);
  assert.deepEqual([hosts, routers], [["flow", "flow"], ["left", "right"]]);
});

test("the drawing names the delays that a round trip has beside the bottleneck's", () => {
  const words = (rtt: string, flows = 1): string[] => sitesOf(`cc = "reno"\n[dumbbell]\nrtt = "${rtt}"\nflows = ${flows}\n`).access;
  assert.deepEqual(words("100 ms"), ["20\u00a0ms"]);
  assert.deepEqual(words("300 ms"), ["70\u00a0ms"]);
  const [spread] = words("40 ms to 200 ms", 2);
  assert.match(spread ?? "", /^\S+\sms to \S+\sms$/);
});
