/** Pages of reports, as the command writes them: each is made once. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { builtPages } from "./browsers.js";

/** The command that writes them: that of `scripts/command`, or the one that `WESTWOOD_COMMAND` names. */
export const command = process.env.WESTWOOD_COMMAND ?? join(builtPages, "../command/westwood");

/** A name that would do harm if it were taken for markup. */
export const HOSTILE = `</script><img src=x onerror="document.title='taken'">`;

const SWEEP = `
cc = ["reno", "bbr"]
time = "6 s"
seeds = 5
about = ${JSON.stringify(HOSTILE)}
[dumbbell]
rate = "4 Mbit/s"
[sweep]
"dumbbell.loss" = ["0.01 %", "1 %", "3 %"]
"dumbbell.rtt" = ["20 ms", "60 ms", "200 ms"]
`;

const ARGUMENTS = {
  comparison: ["compare", "--cc", "reno,bbr,westwood+", "--flows", "2", "--seeds", "3", "--time", "30s", "--warmup", "5s", "--play", "play.html"],
  eight: ["compare", "--cc", "reno,cubic,bbr,westwood+,vegas,westwood,highspeed,bic", "--seeds", "8"],
  lacking: ["compare", "--cc", "reno,bbr3", "--time", "6s", "--warmup", "2s", "--loss", "1%", "--seeds", "2"],
  flows: ["compare", "--cc", "reno,cubic", "--flows", "1000", "--rate", "50Mbit/s", "--time", "6s", "--warmup", "2s", "--seeds", "2"],
  sweep: ["run", "sweep.toml", "--play", "play of sweep.html"],
} as const;

const made = new Map<string, string>();

/** The address of a report; undefined if the command has not been built. */
export function reportUrl(name: keyof typeof ARGUMENTS): string | undefined {
  const known = made.get(name);
  if (known !== undefined) return known;
  if (!existsSync(command)) {
    assert.ok(process.env.WESTWOOD_NEEDS_BROWSERS === undefined, `needed: ${command}; scripts/command`);
    return undefined;
  }
  const folder = join(builtPages, "reports");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "sweep.toml"), SWEEP);
  const file = join(folder, `${name}.html`);
  execFileSync(command, [...ARGUMENTS[name], "--html", file, "--quiet"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const url = pathToFileURL(file).href;
  made.set(name, url);
  return url;
}
