// Elements with listeners: an attribute that is a function hears the event of its name.

import * as plain from "../page/dom";

type Listening = Readonly<
  Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>
>;

function listened<E extends Element>(
  make: (attributes: plain.Attributes) => E,
  attributes: Listening,
): E {
  const set: Record<string, string | number | boolean | null | undefined> = {};
  const heard: [string, (event: Event) => void][] = [];
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") heard.push([name, value]);
    else set[name] = value;
  }
  const made = make(set);
  for (const [name, hear] of heard) made.addEventListener(name, hear);
  return made;
}

/** An element that may listen. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Listening = {},
  ...children: readonly plain.Child[]
): HTMLElementTagNameMap[K] {
  return listened((set) => plain.element(tag, set, ...children), attributes);
}

/** An element of a drawing that may listen, and may hold text. */
export function drawing<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Listening = {},
  ...children: readonly plain.Child[]
): SVGElementTagNameMap[K] {
  const nodes = children.flatMap((child) =>
    typeof child === "string" ? [document.createTextNode(child)] : child instanceof Node ? [child] : [],
  );
  return listened((set) => plain.drawing(tag, set, ...nodes), attributes);
}
