// Where a reader may begin: a plain path, the ready scenarios of today's paths, the papers' experiments.

import type { Catalog } from "../engine/api";

/** The experiment that the page begins with. */
export const FIRST = `like = "linux"
cc = ["reno", "cubic", "westwood+"]
time = "30 s"
warmup = "10 s"

[dumbbell]
rate = "10 Mbit/s"
rtt = "100 ms"
buffer = "1 bdp"
loss = "0.1 %"
`;

/** Presets under one heading. */
export interface PresetGroup {
  readonly heading: string;
  readonly presets: readonly { readonly name: string; readonly about: string; readonly toml: string }[];
}

/** The groups of the list of presets. */
export function presetGroups(catalog: Catalog): PresetGroup[] {
  const paper = /^(westwood|ccr|log-westwood)-.*[0-9]{4}-/;
  const groups: [string, (name: string) => boolean][] = [
    ["Paths of today", (name) => !name.startsWith("tcpeval-") && !paper.test(name)],
    ["The papers' figures", (name) => paper.test(name)],
    ["The evaluation suite", (name) => name.startsWith("tcpeval-")],
  ];
  return [
    { heading: "To begin with", presets: [{ name: "plain", about: "A bottleneck of 10 Mbit/s and 100 ms", toml: FIRST }] },
    ...groups.map(([heading, belongs]) => ({
      heading,
      presets: catalog.scenarios.filter((scenario) => belongs(scenario.name)),
    })),
  ];
}
