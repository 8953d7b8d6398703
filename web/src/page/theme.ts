/** Light and dark: as the system has it until a reader chooses. Paper is light always. */

import { button } from "./dom";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const KEY = "westwood-theme";
const listeners = new Set<() => void>();

/** Calls `listener` after each change between light and dark. */
export function onTheme(listener: () => void): void {
  listeners.add(listener);
}

/** Values under today's theme: asking the browser costs a look at all styles, and charts ask often. */
const known = new Map<string, string>();

/** The value of a custom property of the style sheet. */
export function style(name: string): string {
  let value = known.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    known.set(name, value);
  }
  return value;
}

function changed(): void {
  known.clear();
  for (const listener of listeners) listener();
}

function stored(): Theme {
  try {
    const found = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === found) ?? "auto";
  } catch {
    // A page from disk may have no store.
    return "auto";
  }
}

/** The button that goes from one theme to the next. */
export function themeButton(): HTMLButtonElement {
  let theme = stored();
  let onPaper = false;
  const made = button("", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // The choice then holds for this page alone.
    }
    apply();
  }, { id: "theme" });
  const apply = (): void => {
    const root = document.documentElement;
    const shown = onPaper ? "light" : theme;
    if (shown === "auto") delete root.dataset.theme;
    else root.dataset.theme = shown;
    made.textContent = `Theme: ${theme}`;
    changed();
  };
  // Charts are pixels, which no style sheet turns light: they are drawn anew for paper, and again afterwards. Some
  // browsers tell of printing by one of these alone.
  const paper = (is: boolean): void => {
    if (is === onPaper) return;
    onPaper = is;
    apply();
  };
  // Before the charts hear of it, which then draw all that waits.
  addEventListener("beforeprint", () => { paper(true); }, { capture: true });
  addEventListener("afterprint", () => { paper(false); });
  const print = matchMedia("print");
  print.addEventListener("change", () => { paper(print.matches); });
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  return made;
}
