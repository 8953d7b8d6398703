/**
 * Colours, dashes and marks: those compared differ from one another in all three, and are the same in
 * every figure. `crates/report/src/palette.rs` has them for figures on paper; a test there compares.
 */

import { drawing } from "../page/dom";
import { style } from "../page/theme";

/** The number of colours; the style sheet has them as `--c0` and so on, for light and for dark paper. */
export const COLOURS = 8;

const DASHES = ["", "6 2", "2 1.6", "7 2 1.6 2", "3.5 1.6", "10 2", "7 1.6 1.6 1.6 1.6 1.6"] as const;

/** Corners of the marks around a point, but of the first, which is a circle of radius 1. */
const MARKS: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[-0.89, -0.89], [0.89, -0.89], [0.89, 0.89], [-0.89, 0.89]],
  [[0.0, -1.3], [1.2, 0.8], [-1.2, 0.8]],
  [[0.0, -1.3], [1.3, 0.0], [0.0, 1.3], [-1.3, 0.0]],
  [[0.0, 1.3], [1.2, -0.8], [-1.2, -0.8]],
  [[-0.35, -1.2], [0.35, -1.2], [0.35, -0.35], [1.2, -0.35], [1.2, 0.35], [0.35, 0.35], [0.35, 1.2], [-0.35, 1.2],
    [-0.35, 0.35], [-1.2, 0.35], [-1.2, -0.35], [-0.35, -0.35]],
];

/** The colour of the `i`th one, as the style sheet names it. */
export const colourName = (i: number): string => `var(--c${i % COLOURS})`;

/** The colour of the `i`th one on today's paper. */
export const colour = (i: number): string => style(`--c${i % COLOURS}`);

/** The dashes of the `i`th one; none for a whole line. */
export function dash(i: number): number[] | undefined {
  const dashes = DASHES[i % DASHES.length];
  return dashes ? dashes.split(" ").map(Number) : undefined;
}

/** A path to which an outline is drawn. */
export type OutlinePath = Pick<CanvasPath, "moveTo" | "lineTo" | "closePath" | "arc">;

/** Draws the outline of the `i`th one's mark around (0, 0). */
export function outline(path: OutlinePath, i: number, size: number): void {
  const corners = MARKS[i % MARKS.length] ?? [];
  if (corners.length === 0) {
    path.moveTo(size, 0);
    path.arc(0, 0, size, 0, 2 * Math.PI);
    return;
  }
  const [[x, y] = [0, 0], ...others] = corners;
  path.moveTo(x * size, y * size);
  for (const [dx, dy] of others) path.lineTo(dx * size, dy * size);
  path.closePath();
}

function outlineText(i: number, x: number, y: number, size: number): string {
  const corners = MARKS[i % MARKS.length] ?? [];
  if (corners.length === 0) return `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
  return `M${corners.map(([dx, dy]) => `${x + dx * size} ${y + dy * size}`).join("L")}Z`;
}

/** The `i`th one's mark alone. */
export function markOf(i: number): SVGSVGElement {
  const path = drawing("path", { class: `fills c${i % COLOURS}`, d: outlineText(i, 5, 5, 3.4) });
  return drawing("svg", { class: "mark", viewBox: "0 0 10 10", "aria-hidden": "true" }, path);
}

/** A short line as a curve has it: its colour and dashes, and its mark. */
export function sampleOf(i: number, look: { dashes?: readonly number[] | undefined; main: boolean; grey?: boolean; marked: boolean }): SVGSVGElement {
  const line = drawing("path", {
    d: "M0 4H22",
    fill: "none",
    class: look.grey ? "axis" : `strokes c${i % COLOURS}`,
    stroke: "currentColor",
    "stroke-width": look.main ? 2 : 1.2,
    "stroke-dasharray": look.dashes?.join(" "),
  });
  const svg = drawing("svg", { viewBox: "0 0 22 8", "aria-hidden": "true" }, line);
  if (look.marked) svg.append(drawing("path", { class: `fills c${i % COLOURS}`, d: outlineText(i, 11, 4, 3.1) }));
  return svg;
}
