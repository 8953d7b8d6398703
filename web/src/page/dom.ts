/** Elements, made from text alone: nothing here takes markup, so no name can become any. */

export type Child = Node | string | null | undefined | false;
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An element. An attribute that is `true` is set without a value; one that is absent or `false` is not set. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  give(made, attributes);
  made.append(...children.filter((child): child is Node | string => child instanceof Node || typeof child === "string"));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function drawing<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Node[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  give(made, attributes);
  made.append(...children);
  return made;
}

function give(to: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    to.setAttribute(name, value === true ? "" : String(value));
  }
}

/** The element of this selector that the page is known to have. */
export function needed(selector: string, root: ParentNode = document): Element {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** A button that acts. */
export function button(label: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", action);
  return made;
}

/** A list of choices with its label; `chosen` hears the place of the choice. */
export function choice(
  id: string,
  label: string,
  options: readonly string[],
  chosen: (place: number) => void,
): { label: HTMLLabelElement; select: HTMLSelectElement } {
  const select = element("select", { id }, ...options.map((option) => element("option", {}, option)));
  select.addEventListener("change", () => { chosen(select.selectedIndex); });
  return { label: element("label", { for: id }, label), select };
}
