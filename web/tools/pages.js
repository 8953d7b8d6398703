/**
 * The pages that are built: `dist/NAME.html`, one file each.
 *
 * @typedef {object} Page
 * @property {string} name the name of the file
 * @property {string} title the title before a script sets another
 * @property {string} script the entry of its script
 * @property {string} style the entry of its styles
 * @property {boolean} engine whether the simulator is inside
 * @property {boolean} [test] built for tests alone, and not into dist/
 */

/** @type {readonly Page[]} */
export const pages = [
  {
    name: "playground",
    title: "Westwood playground",
    script: "src/play/main.ts",
    style: "src/play/play.css",
    engine: true,
  },
  { name: "engine", title: "Engine", script: "test/pages/engine.ts", style: "src/page/style.css", engine: true, test: true },
];

/**
 * Scripts and styles that the command puts into pages of its own, from their entries.
 *
 * @type {readonly { entry: string, file: string }[]}
 */
export const parts = [
  { entry: "src/report/main.ts", file: "../crates/report/assets/report.js" },
  { entry: "src/report/report.css", file: "../crates/report/assets/report.css" },
];
