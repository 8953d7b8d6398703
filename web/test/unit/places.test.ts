import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog, Plan, PlanNetwork } from "../../src/engine/api.js";
import { alikeWords, exactWords, endWords, within } from "../../src/page/number.js";
import { contestants } from "../../src/play/contestants.js";
import { atFirstPlace, parseToml, writeToml } from "../../src/play/experiment.js";
import { firstLook } from "../../src/play/first-look.js";
import { tableOf } from "../../src/play/outcome-figures.js";
import { curveChoices, firstMarks, marksOf, placesOf, settingWords } from "../../src/play/places.js";
import type { Simulated } from "../../src/play/side.js";
import { engineWork } from "../support/engine.js";
import { NO_FIGURES } from "../support/outcomes.js";

const NETWORK: PlanNetwork = { nodes: [], links: [], flows: [{ name: "flow", group: "test", path: [], back: [] }], measured_link: 0 };

/** An experiment of these controllers at each of these settings. */
function simulated(ccs: readonly string[], settings: readonly Readonly<Record<string, string>>[]): Simulated {
  const points = settings.flatMap((one) => ccs.map((cc) => ({ name: `${cc} ${settingWords(one)}`, cc, settings: one, packets: 1 })));
  return { plan: { name: "plan", points, seeds: ["1"], time_s: 30, warmup_s: 0, networks: points.map(() => NETWORK) }, series: [] };
}

const LOSSES = [{ "dumbbell.loss": "0 %" }, { "dumbbell.loss": "1 %" }, { "dumbbell.loss": "3 %" }];

test("the points of a sweep stand at places, where those compared have the marks of its figures", () => {
  const all = contestants([simulated(["reno", "bbr"], LOSSES)]);
  const places = placesOf(all);
  assert.deepEqual(places.map(({ name, members }) => [name, members.map(({ point }) => point)]), [["loss 0 %", [0, 1]], ["loss 1 %", [2, 3]], ["loss 3 %", [4, 5]]]);
  assert.deepEqual(marksOf(all, places), [0, 1, 0, 1, 0, 1]);
  const choices = curveChoices(all, places);
  assert.deepEqual(choices.slice(0, 3).map(({ value, words }) => [value, words]), places.map(({ name }, i) => [`place ${i}`, `${name}, all compared there`]));
  assert.deepEqual(choices.slice(3).map(({ value }) => value), ["0", "1", "2", "3", "4", "5"]);
});

test("the figures of a second experiment have the marks of its curves", () => {
  const two = contestants([simulated(["reno", "bbr"], [{}]), simulated(["cubic"], [{}])]);
  assert.deepEqual(marksOf(two, placesOf(two)), [0, 1, 2]);
  assert.deepEqual(firstMarks(two, placesOf(two), 2), [0, 2]);
  // At the places of a sweep the marks begin anew, and so in its figures.
  const swept = contestants([simulated(["reno", "bbr"], LOSSES), simulated(["cubic", "reno"], LOSSES)]);
  assert.deepEqual(firstMarks(swept, placesOf(swept), 2), [0, 0]);
});

test("without a sweep, or with one controller of one, all points are drawn together", () => {
  for (const one of [simulated(["reno", "bbr"], [{}]), simulated(["reno"], LOSSES)]) {
    const all = contestants([one]);
    const [first] = curveChoices(all, placesOf(all));
    assert.ok(first);
    assert.equal(first.words, "all, the first flow of each");
    assert.deepEqual(first.members, all);
    assert.deepEqual(marksOf(all, placesOf(all)), all.map((_, i) => i));
  }
});

test("of two experiments a place has the letter of its own, and a controller that is swept is no place", () => {
  const swept = contestants([simulated(["reno", "bbr"], LOSSES), simulated(["reno", "bbr"], [{}])]);
  assert.deepEqual(placesOf(swept).map(({ name }) => name), ["A: loss 0 %", "A: loss 1 %", "A: loss 3 %", "B: all of its points"]);
  const controllers = contestants([simulated(["x"], [{ cc: "reno" }, { cc: "bbr" }])]);
  assert.deepEqual(placesOf(controllers), []);
});

test("settings that end alike are named in full", () => {
  assert.equal(settingWords({ "link.a.rate": "1 Mbit/s", "link.b.rate": "2 Mbit/s", "path.rtt": "20 ms", cc: "reno" }), "link.a.rate 1 Mbit/s, link.b.rate 2 Mbit/s, rtt 20 ms");
});

test("a first look says of how much it is", () => {
  const { plan } = simulated(["reno", "bbr"], LOSSES);
  const whole = { ...plan, seeds: ["1", "2", "3"] };
  const look = { ...plan, points: plan.points.slice(0, 2), time_s: 1.5 };
  assert.equal(firstLook(look, whole), "A first look, and no result yet: 2 of 6\u00a0points (loss 0 %), the first 1.5 of 30\u00a0s, 1 of 3\u00a0seeds.");
  assert.equal(firstLook({ ...whole, seeds: ["1"] }, whole), "A first look, and no result yet: all 30\u00a0s, 1 of 3\u00a0seeds.");
  assert.equal(firstLook({ ...plan, time_s: 3 }, plan), "A first look, and no result yet: the first 3 of 30\u00a0s, 1\u00a0seed.");
});

test("a first look of every ready sweep is at its first place", async () => {
  const work = await engineWork();
  const check = (toml: string): Plan => work.carryOut({ do: "check", experiment: { toml }, brief: false }, {}).ok as Plan;
  const { scenarios } = work.carryOut({ do: "catalog" }, {}).ok as Catalog;
  const sweeps = scenarios.filter(({ toml }) => toml.includes("[sweep]"));
  assert.ok(sweeps.length > 0);
  for (const { name, toml } of sweeps) {
    const [whole, look] = [check(toml), check(writeToml(atFirstPlace(parseToml(toml))))];
    assert.deepEqual(look.networks[0], whole.networks[0], name);
    assert.ok(look.points.length < whole.points.length, name);
    const settings = JSON.stringify(whole.points[0]?.settings);
    assert.deepEqual(look.points.filter((point) => JSON.stringify(point.settings) !== settings && point.settings.cc === undefined), [], name);
  }
});

test("an interval ends where its quantity ends, as the command writes it", () => {
  assert.equal(within([4.97, null], [0, null]), "4.97");
  assert.equal(within([4.97, 0.12], [0, null]), "4.97 \u00b10.12");
  assert.equal(within([0.33, 1.44], [0, null]), "0.33 \u22641.77");
  assert.equal(within([99, 2], [0, 100]), "99 \u226597");
  assert.equal(within([50, 60], [0, 100]), "50 0\u2026100");
});

test("means without an interval are said to be alike, with the share of runs that may differ", () => {
  // 1 - 0.05^(1/7) is 34.8 %.
  assert.equal(alikeWords(true, 8), "; no \u00b1: alike under all seeds, up to 35\u00a0% of further runs may differ");
  assert.ok(alikeWords(true, 2).includes("up to 95\u00a0%"));
  assert.equal(alikeWords(false, 8), "");
  assert.equal(alikeWords(true, 1), "");
});

test("rows for which nothing is random are named beside those that vary", () => {
  assert.equal(exactWords(["reno", "cubic"], 3), "; nothing is random for reno and cubic, every seed gives the same");
  assert.equal(exactWords(["a", "b", "c", "d"], 5), "; nothing is random in 4 of 5 rows, every seed gives the same");
  assert.equal(exactWords([], 5), "");
});

test("the numbers of a sweep have a row for each place, and a dash where one was not measured", () => {
  const axes = [{ name: "loss", labels: ["0 %", "1 %"], places: [0, 100] }];
  const quantity = { id: "goodput", name: "goodput", unit: "Mbit/s", label: "goodput (Mbit/s)" };
  const place = (at: number, cells: readonly { variant: number; mean: readonly [number, number]; values: readonly number[] }[]) =>
    ({ at: [at], cells, leader: null, sure: false, sheet: null });
  const places = [place(0, [{ variant: 0, mean: [4, 0.1], values: [] }, { variant: 1, mean: [1, 2], values: [] }]), place(1, [{ variant: 1, mean: [3, 0], values: [] }])];
  const metric = { quantity, better: "higher", range: [0, null], places } as const;
  const swept = { axes, practical_percent: 1, metrics: [metric], texts: [] };
  const { caption, head, rows } = tableOf({ ...NO_FIGURES, variants: ["reno", "bbr"] }, swept, metric);
  assert.match(caption, /confidence; \u2264 gives the end of an interval whose other end is/);
  assert.equal(endWords(["4 \u00b10.1", "\u2013"]), "");
  assert.match(endWords(["1 \u22643", "9 \u22658"]), /^; \u2264 and \u2265 give the end/);
  assert.deepEqual(head, ["loss", "reno (Mbit/s)", "bbr (Mbit/s)"]);
  assert.deepEqual(rows, [["0 %", "4 \u00b10.1", "1 \u22643"], ["1 %", "\u2013", "3 \u00b10"]]);
});
