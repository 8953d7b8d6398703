/** Variants that are switched off: everything of them is pale. */

const hidden = new Set<number>();

/** Switches a variant on or off in all that is drawn. */
export function switchVariant(variant: number, on: boolean): void {
  if (on) hidden.delete(variant);
  else hidden.add(variant);
  for (const part of document.querySelectorAll(`.k${variant}`)) part.classList.toggle("off", !on);
}

/** Makes those pale that are off, in a new drawing. */
export function fade(drawing: Element): void {
  for (const variant of hidden) for (const part of drawing.querySelectorAll(`.k${variant}`)) part.classList.add("off");
}
