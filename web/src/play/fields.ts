// Fields of the settings: a label, a text, perhaps a slider, and the words of a fault at the place where it is.

import { parseCall, partsOf, writeCall } from "./call";
import { element } from "./dom";
import { field, isList, isTable, jsonOf, swept, type Tables, type Value } from "./experiment";
import {
  formatQuantity,
  parseQuantity,
  placeOf,
  quantityAt,
  STEPS,
  type Scale,
} from "./quantity";

/** Called with a field's new value; undefined for its default. `turning` while a slider moves. */
export type Change = (path: string, value: Value | undefined, turning: boolean) => void;

/** A field on the page. */
export interface Field {
  /** The path that it sets. */
  readonly path: string;
  readonly element: HTMLElement;
  /** Shows the value of these tables. */
  show(tables: Tables): void;
  /** Shows a fault, or that there is none. */
  fault(words: string | undefined): void;
}

/** The words around a field. */
export interface Words {
  readonly label: string;
  /** The meaning of the field, as the schema says it. */
  readonly help?: string | undefined;
  /** The value that holds if the field is empty. */
  readonly absent?: string | undefined;
}

let fields = 0;

/** A number for ids of the page, which must be unique. */
export function nextId(): string {
  fields += 1;
  return `field-${fields}`;
}

/** A value as its text. */
export function textOf(value: Value | undefined): string {
  if (value === undefined) return "";
  if (isList(value)) return value.map(textOf).join(", ");
  return isTable(value) ? jsonOf(value) : String(value);
}

/** The value that a text means: numbers and switches as such, lists by commas outside parentheses. */
export function valueOf(text: string, isList: boolean): Value | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (isList) {
    const parts = partsOf(trimmed);
    if (parts.length > 1) return parts.filter((part) => part !== "");
  }
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  return /^-?[0-9]+$/.test(trimmed) ? wholeOf(trimmed) : trimmed;
}

/** A whole number with all of its digits. */
function wholeOf(text: string): number | bigint {
  const number = Number(text);
  return /^-?[0-9]+$/.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
}

/** A field of these controls, with its label, its help and the place for a fault; `show` shows the text of the setting. */
function framed(
  path: string,
  words: Words,
  id: string,
  controls: readonly HTMLElement[],
  show: (text: string, tables: Tables) => void,
  written: (value: Value | undefined) => string = textOf,
): Field {
  const fault = element("p", { class: "fault", id: `${id}-fault`, role: "alert" });
  const help = words.help === undefined ? undefined : element("p", { class: "help", id: `${id}-help` }, words.help);
  const label = element("label", { for: id }, words.label);
  const more = help && element("details", { class: "about" }, element("summary", { "aria-label": `About ${words.label}` }, "?"), help);
  const sweep = element("p", { class: "help", hidden: true });
  const head = element("div", { class: "field-head" }, label, more);
  const box = element("div", { class: "field" }, head, ...controls, sweep, fault);
  return {
    path,
    element: box,
    show: (tables) => {
      // A value that a sweep replaces would be changed without any effect. `show` enables a slider that it can read.
      const values = swept(tables, path);
      if (values === undefined && !sweep.hidden) able(controls, true);
      show(written(field(tables, path)), tables);
      if (values) able(controls, false);
      sweep.hidden = values === undefined;
      sweep.textContent = values ? `Swept: ${values.map(textOf).join(", ")}` : "";
    },
    fault: (text) => {
      fault.textContent = text ?? "";
      box.classList.toggle("faulty", text !== undefined);
      const [input] = controls.flatMap((control) =>
        control.id === id ? [control] : [...control.querySelectorAll<HTMLElement>(`#${id}`)],
      );
      if (text === undefined) input?.removeAttribute("aria-invalid");
      else input?.setAttribute("aria-invalid", "true");
    },
  };
}

function able(controls: readonly HTMLElement[], enabled: boolean): void {
  for (const control of controls) {
    for (const input of [control, ...control.querySelectorAll("input, select, textarea")]) {
      if (input.matches("input, select, textarea")) input.toggleAttribute("disabled", !enabled);
    }
  }
}

function sliderOf(label: string, scale: Scale): HTMLInputElement {
  const [from, to] = [formatQuantity(scale.from, scale), formatQuantity(scale.to, scale)];
  const words = `${label}, from ${scale.nothing ?? from} to ${to}`;
  return element("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": words });
}

/** How a text field shows and reads its value. */
interface TextOptions {
  readonly scale?: Scale;
  readonly isList?: boolean;
  /** The field whose value holds where this one is empty, and what holds where that one is, too. */
  readonly follows?: { readonly path: string; readonly absent: string | undefined };
  /** The text of a value. */
  readonly text?: (value: Value | undefined) => string;
  /** The value of a text; undefined for the field's default. */
  readonly value?: (text: string) => Value | undefined;
  /** The value changes once the reader leaves the field. */
  readonly whenDone?: boolean;
}

/** A field of text, with a slider if it has a scale. */
export function textField(
  path: string,
  words: Words,
  change: Change,
  {
    scale,
    isList = false,
    follows,
    text: written = textOf,
    value: read = (text) => valueOf(text, isList),
    whenDone = false,
  }: TextOptions = {},
): Field {
  const id = nextId();
  const input = element("input", {
    id,
    type: "text",
    name: path,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: words.absent,
    "aria-describedby": `${id}-fault`,
    [whenDone ? "change" : "input"]: () => { change(path, read(input.value), false); },
  });
  const slider = scale && sliderOf(words.label, scale);
  slider?.addEventListener("input", () => {
    if (!scale) return;
    const text = formatQuantity(quantityAt(Number(slider.value), scale), scale);
    input.value = text;
    slider.setAttribute("aria-valuetext", text);
    change(path, text, true);
  });
  slider?.addEventListener("change", () => {
    change(path, read(input.value), false);
  });
  const controls = element("div", { class: "controls" }, input, ...(slider ? [slider] : []));
  return framed(path, words, id, [controls], (text, tables) => {
    if (document.activeElement !== input || read(input.value) !== read(text)) {
      if (written(read(input.value)) !== text) input.value = text;
    }
    if (!slider || document.activeElement === slider) return;
    const other = follows && textOf(field(tables, follows.path));
    const standing = [text, other, follows?.absent, words.absent].find((one) => (one ?? "") !== "");
    const quantity = parseQuantity(standing ?? "", scale);
    slider.disabled = quantity === undefined;
    if (quantity !== undefined) {
      slider.value = String(placeOf(quantity, scale));
      slider.setAttribute("aria-valuetext", formatQuantity(quantity, scale));
    }
  }, written);
}

/** A text of several lines, as it is. */
export function codeField(path: string, words: Words, change: Change): Field {
  const id = nextId();
  const area = element("textarea", {
    id,
    class: "code",
    name: path,
    rows: 2,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: words.absent,
    "aria-describedby": `${id}-fault`,
    input: () => { change(path, area.value.trim() === "" ? undefined : area.value, false); },
  });
  return framed(path, words, id, [area], (text) => {
    if (document.activeElement !== area && area.value !== text) area.value = text;
    area.rows = Math.min(12, Math.max(2, text.split("\n").length));
  });
}

/** A whole number with buttons of its own; `most` may be infinite. */
export function countField(
  path: string,
  words: Words,
  change: Change,
  { least = 0, most = 10_000 }: { least?: number; most?: number } = {},
): Field {
  const id = nextId();
  const input = element("input", {
    id,
    type: "number",
    name: path,
    min: least,
    max: Number.isFinite(most) ? most : undefined,
    step: 1,
    placeholder: words.absent,
    "aria-describedby": `${id}-fault`,
    input: () => { change(path, input.value === "" ? undefined : wholeOf(input.value), false); },
  });
  return framed(path, words, id, [element("div", { class: "controls" }, input)], (text) => {
    if (input.value !== text) input.value = text;
  });
}

/** A choice of few. */
export function choiceField(
  path: string,
  words: Words,
  options: readonly (readonly [value: string, label: string])[],
  change: Change,
): Field {
  const id = nextId();
  const select = element(
    "select",
    {
      id,
      name: path,
      "aria-describedby": `${id}-fault`,
      change: () => { change(path, select.value === "" ? undefined : valueOf(select.value, false), false); },
    },
    ...options.map(([value, label]) => element("option", { value }, label)),
  );
  return framed(path, words, id, [element("div", { class: "controls" }, select)], (text) => {
    if (![...select.options].some((option) => option.value === text)) {
      select.append(element("option", { value: text }, text));
    }
    select.value = text;
  });
}

/** A parameter of something that has a name. */
export interface ParameterWords {
  readonly name: string;
  readonly default: string | null;
  readonly allowed: string | null;
  readonly meaning: string;
}

/** Something that is chosen by name, with parameters. */
export interface Choice {
  readonly name: string;
  /** Other names of the same. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly parameters: readonly ParameterWords[];
}

/** A choice by name, whose parameters have fields of their own. An empty text is the choice `absent`. */
export function callField(
  path: string,
  words: Words,
  choices: readonly Choice[],
  change: Change,
  { absent, labelled = true }: { absent?: string; labelled?: boolean } = {},
): Field {
  const id = nextId();
  const parameters = element("div", { class: "parameters" });
  const summary = element("p", { class: "help" });
  let shown = "";
  const chosen = (name: string | undefined): Choice | undefined =>
    choices.find((one) => one.name === name || (name !== undefined && one.aliases.includes(name)));
  const select = element("select", {
    id,
    name: path,
    "aria-describedby": `${id}-fault`,
    ...(labelled ? {} : { "aria-label": words.label }),
    change: () => {
      shown = select.value;
      lay(shown);
      change(path, shown === "" ? undefined : shown, false);
    },
  });
  if (absent !== undefined) select.append(element("option", { value: "" }, absent));
  select.append(...choices.map((choice) => element("option", { value: choice.name }, choice.name)));

  function lay(text: string): void {
    const call = parseCall(text);
    const choice = chosen(call?.name);
    summary.textContent = choice?.summary ?? "";
    const known = call && choice && [...call.parameters.keys()].every((name) => choice.parameters.some((one) => one.name === name));
    if (text !== "" && !known) {
      const input = element("input", {
        type: "text",
        value: text,
        spellcheck: "false",
        "aria-label": `${words.label}, as text`,
        input: () => {
          // The text that comes back is the one that is written: the field stays, and keeps the focus.
          shown = input.value;
          change(path, shown === "" ? undefined : shown, false);
        },
      });
      parameters.replaceChildren(input);
      return;
    }
    if (!call || !choice || choice.parameters.length === 0) {
      parameters.replaceChildren();
      return;
    }
    const inputs = choice.parameters.map((parameter) => {
      const parameterId = nextId();
      const input = element("input", {
        id: parameterId,
        type: "text",
        spellcheck: "false",
        autocomplete: "off",
        placeholder: parameter.default ?? "",
        value: call.parameters.get(parameter.name) ?? "",
        "aria-describedby": `${parameterId}-help`,
        input: () => {
          const values = new Map(choice.parameters.map((one, i) => [one.name, inputs[i]?.input.value.trim() ?? ""]));
          shown = writeCall({ name: choice.name, parameters: values });
          change(path, shown, false);
        },
      });
      const allowed = parameter.allowed === null ? "" : ` [${parameter.allowed}]`;
      return {
        input,
        row: element(
          "div",
          { class: "parameter" },
          element("label", { for: parameterId }, parameter.name),
          input,
          element("p", { class: "help", id: `${parameterId}-help` }, parameter.meaning + allowed),
        ),
      };
    });
    const set = [...call.parameters.keys()].length;
    const open = parameters.querySelector("details")?.open ?? set > 0;
    parameters.replaceChildren(
      element(
        "details",
        { open },
        element("summary", {}, `Parameters of ${choice.name}${set > 0 ? ` (${set} set)` : ""}`),
        ...inputs.map(({ row }) => row),
      ),
    );
  }

  return framed(path, words, id, [select, summary, parameters], (text) => {
    const name = parseCall(text)?.name ?? text;
    const value = chosen(name)?.name ?? text;
    if (![...select.options].some((option) => option.value === value)) select.append(element("option", { value }, value));
    select.value = value;
    if (text === shown && parameters.childElementCount > 0) return;
    shown = text;
    lay(text);
  });
}
