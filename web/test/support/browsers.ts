/**
 * The browsers of the tests: each is started once, pages come from disk, and every page is watched. A test that
 * a machine cannot run fails where `WESTWOOD_NEEDS_BROWSERS` is set, and is skipped with a word elsewhere.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, describe, test } from "node:test";
import { type Browser, type BrowserContextOptions, type Page, chromium, firefox } from "playwright-core";
import { project } from "./engine.js";

/** Milliseconds that a test waits for a page. */
const PATIENCE = 120_000;

/** The browsers by name, with the places where they are looked for. */
const programs = {
  chromium: {
    type: chromium,
    paths: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    options: { args: ["--no-sandbox"] },
  },
  // By WebDriver BiDi, which a stock Firefox speaks. It emulates neither dark colours nor print.
  firefox: { type: firefox, paths: ["/usr/bin/firefox-esr", "/usr/bin/firefox"], options: { channel: "moz-firefox" } },
};

/** A browser's name. */
export type BrowserName = keyof typeof programs;

/** All of them. */
export const browserNames = Object.keys(programs) as BrowserName[];

/** The built pages, the engine inside. */
export const builtPages = join(import.meta.dirname, "../../../../../target/web");

/** A machine's type becomes that of the stored pictures, where it has this at all. */
const typeface = existsSync("/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf")
  ? { FONTCONFIG_FILE: join(project, "web/tools/fonts.conf") }
  : {};

/** The address of a built page. */
export const pageUrl = (name: string): string => pathToFileURL(join(builtPages, `${name}.html`)).href;

let server: Promise<string> | undefined;

/** A built page, or a report in its folder, over http at this machine alone: its address. */
export async function httpUrl(name: string): Promise<string> {
  server ??= new Promise((resolve) => {
    const listening = createServer((request, response) => {
      const page = /^\/((?:reports\/)?\w+)\.html$/.exec(new URL(request.url ?? "", "http://here").pathname)?.[1];
      response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
      response.end(page === undefined ? "" : readFileSync(join(builtPages, `${page}.html`)));
    });
    listening.unref();
    listening.listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
    });
  });
  return `${await server}/${name}.html`;
}

/** A page, and everything on it that a page must not do. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors, violations of the policy and requests, in words. None but of an address that {@link opened} allows. */
  readonly faults: string[];
}

const running = new Map<BrowserName, Promise<Browser | undefined>>();

async function start(name: BrowserName): Promise<Browser | undefined> {
  const { type, paths, options } = programs[name];
  const executablePath = paths.find((path) => existsSync(path));
  if (executablePath === undefined) {
    assert.ok(process.env.WESTWOOD_NEEDS_BROWSERS === undefined, `needed: ${name}`);
    console.error(`skipped: tests in ${name}, which is not installed`);
    return undefined;
  }
  return type.launch({ executablePath, env: { ...process.env, ...typeface }, ...options });
}

/** The browser, or undefined if this machine has none. */
export async function browser(name: BrowserName): Promise<Browser | undefined> {
  const known = running.get(name) ?? start(name);
  running.set(name, known);
  return known;
}

after(async () => {
  for (const one of running.values()) await (await one)?.close();
});

/** Opens a page and watches it. Requests to addresses that begin otherwise than the page's own are faults. */
export async function opened(on: Browser, url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await on.newContext(options);
  // A busy machine takes its time. A page that never comes to what is waited for fails all the same.
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const faults: string[] = [];
  const own = url.split("#")[0] ?? url;
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(own) && !/^(blob|data):/.test(to)) faults.push(`request: ${to}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  await page.goto(url);
  return { page, faults };
}

/** A test in every browser, in all at once. The page is closed, and must be without faults at the end. */
export function inBrowsers(
  title: string,
  url: string | (() => Promise<string>),
  body: (watched: WatchedPage, name: BrowserName) => Promise<void>,
  options: BrowserContextOptions = {},
): void {
  describe(title, { concurrency: browserNames.length }, () => {
    for (const name of browserNames) {
      test(`in ${name}`, async (context) => {
        const on = await browser(name);
        if (on === undefined) {
          context.skip(`${name} is not installed`);
          return;
        }
        const watched = await opened(on, typeof url === "string" ? url : await url(), options);
        try {
          await body(watched, name);
          assert.deepEqual(watched.faults, []);
        } finally {
          await watched.page.context().close();
        }
      });
    }
  });
}
