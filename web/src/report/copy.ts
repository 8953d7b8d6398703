/** Copying a text of the page. */

import { button } from "../page/dom";

/** A button that copies what an element shows, or selects it where a page may not copy. */
export function copyButton(shown: HTMLElement, label = "Copy"): HTMLButtonElement {
  const press = button(label, () => {
    const say = (word: string): void => {
      press.textContent = word;
      setTimeout(() => { press.textContent = label; }, 1500);
    };
    const select = (): void => {
      getSelection()?.selectAllChildren(shown);
      say("Selected");
    };
    // A page from disk may have no clipboard.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard) clipboard.writeText(shown.textContent).then(() => { say("Copied"); }, select);
    else select();
  }, { class: "copy" });
  return press;
}
