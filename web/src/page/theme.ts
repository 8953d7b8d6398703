/** Light and dark: as the system has it until a reader chooses. */

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
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    made.textContent = `Theme: ${theme}`;
    changed();
  };
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  return made;
}
