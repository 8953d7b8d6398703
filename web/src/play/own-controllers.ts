// Controllers of the reader's own: the tables `[controllers.NAME]` of an experiment, with a text for each verb.

import { parseCall, writeCall } from "./call";
import { element } from "./dom";
import { BadToml, controllers, field, isList, isTable, parseToml, stepOf, withControllers, withField, type Tables, type Value } from "./experiment";
import { codeField, nextId, textField, textOf, type Change, type Choice, type Field, type Words } from "./fields";
import type { SettingNames } from "./setting-names";

/** Verbs that every editor shows; those behind them are shown on demand. */
const FIRST_VERBS = ["grow", "reduce"] as const;
const MORE_VERBS = ["measure", "start", "lost", "recovered", "undone", "restarted", "pacing_rate", "bwe"] as const;

/** Reno with its two numbers as parameters: something to start from. */
const EXAMPLE: Tables = {
  about: "Reno, to be changed",
  parameters: { alpha: 1, beta: 0.5 },
  grow: "cwnd < ssthresh ? cwnd + credit : cwnd + alpha * credit / cwnd",
  reduce: "beta * cwnd",
};

/** The names of the reader's controllers. */
export function ownNames(tables: Tables): string[] {
  return isTable(tables.controllers) ? Object.keys(tables.controllers) : [];
}

/** The reader's controllers as choices. */
export function ownChoices(tables: Tables): Choice[] {
  return ownNames(tables).map((name) => {
    const parameters = field(tables, `controllers.${stepOf(name)}.parameters`);
    return {
      name,
      aliases: [],
      summary: textOf(field(tables, `controllers.${stepOf(name)}.about`)),
      parameters: Object.entries(isTable(parameters) ? parameters : {}).map(([parameter, value]) => ({
        name: parameter,
        default: textOf(value),
        allowed: null,
        meaning: "",
      })),
    };
  });
}

/** The same experiment with one more controller, which is under test beside these others. */
export function withOwnController(tables: Tables, others = controllers(tables)): Tables {
  const names = new Set(ownNames(tables));
  let name = "mine";
  for (let i = 2; names.has(name); i++) name = `mine-${i}`;
  const own = isTable(tables.controllers) ? tables.controllers : {};
  return withControllers({ ...tables, controllers: { ...own, [name]: EXAMPLE } }, [...others, name]);
}

/** The same experiment without a controller; Reno stands where nothing else is under test. */
export function withoutOwnController(tables: Tables, name: string): Tables {
  const own = Object.entries(isTable(tables.controllers) ? tables.controllers : {}).filter(([one]) => one !== name);
  const named = controllers(tables);
  const kept = named.filter((call) => parseCall(call)?.name !== name);
  const rest = withField(tables, "controllers", own.length > 0 ? Object.fromEntries(own) : undefined);
  const left = kept.length > 0 || named.length === 0 ? kept : ["reno"];
  return mapped(withControllers(rest, left), name, () => undefined);
}

/** Why a controller cannot be called so, in words, as the engine would refuse it; undefined if it can. */
export function nameFault(tables: Tables, name: string, to: string, catalog: readonly Choice[]): string | undefined {
  if (to === name) return undefined;
  if (to === "") return "A controller needs a name.";
  if (!/^[a-z][a-z0-9.+-]*$/.test(to)) return "A name has small letters, digits, '-', '+' and '.', and begins with a letter.";
  const taken = ownNames(tables).includes(to) || catalog.some((one) => one.name === to || one.aliases.includes(to));
  return taken ? `There is a controller '${to}' already.` : undefined;
}

/** The same experiment with another name of a controller, wherever it stands. */
export function renamed(tables: Tables, name: string, to: string): Tables {
  if (to === "" || to === name || ownNames(tables).includes(to)) return tables;
  const own = Object.entries(isTable(tables.controllers) ? tables.controllers : {});
  const moved = Object.fromEntries(own.map(([one, table]) => [one === name ? to : one, table]));
  const call = (text: string): string => {
    const read = parseCall(text);
    return read?.name === name ? writeCall({ ...read, name: to }) : text;
  };
  const rest = withControllers({ ...tables, controllers: moved }, controllers(tables).map(call));
  return mapped(rest, name, call);
}

/** The same experiment with another text wherever a field that is not `cc` names this controller. */
function mapped(tables: Tables, name: string, change: (text: string) => string | undefined): Tables {
  const flows = (isList(tables.flow) ? tables.flow : []).map((_, i) => `flow.${i + 1}.cc`);
  return ["dumbbell.against_cc", "dumbbell.reverse_cc", ...flows].reduce((now, path) => {
    const text = field(now, path);
    return typeof text === "string" && parseCall(text)?.name === name ? withField(now, path, change(text)) : now;
  }, tables);
}

/** Numbers with names as one line of text: `alpha = 1, beta = 0.5`. */
export function numbersText(value: Value | undefined): string {
  if (!isTable(value)) return textOf(value);
  return Object.entries(value).map(([name, number]) => `${name} = ${textOf(number)}`).join(", ");
}

/** The numbers of such a line; the text itself if it is none, so that the engine says what is wrong with it. */
export function numbersOf(text: string): Value | undefined {
  if (text.trim() === "") return undefined;
  try {
    return parseToml(`numbers = { ${text} }`).numbers;
  } catch (error) {
    if (error instanceof BadToml) return text;
    throw error;
  }
}

/** The editor of one controller, which is the one of this number from 0, and its fields. */
export function ownControllerEditor(
  name: string,
  words: (field: SettingNames["controllers.NAME"], label: string) => Words,
  change: Change,
  number: number,
  { rename, remove }: {
    /** Returns why it cannot have that name, in words. */
    rename: (to: string) => string | undefined;
    remove: () => void;
  },
): { element: HTMLElement; fields: Field[] } {
  const path = (verb: string): string => `controllers.${stepOf(name)}.${verb}`;
  const numbers = (one: "parameters" | "state", label: string): Field =>
    textField(path(one), words(one, label), change, { text: numbersText, value: numbersOf, whenDone: true });
  const code = (verb: (typeof FIRST_VERBS | typeof MORE_VERBS)[number]): Field => codeField(path(verb), words(verb, verb), change);
  const fault = element("p", { class: "fault", id: nextId(), role: "alert" });
  const title = element("input", {
    type: "text",
    "aria-describedby": fault.id,
    value: name,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": `Name of the controller ${name}`,
    "data-key": `name of controller ${number}`,
    change: () => {
      const words = rename(title.value.trim());
      fault.textContent = words ?? "";
      box.classList.toggle("faulty", words !== undefined);
      if (words === undefined) title.removeAttribute("aria-invalid");
      else title.setAttribute("aria-invalid", "true");
    },
  });
  const box = element("div", { class: "field" }, title, fault);
  const first = [
    textField(path("about"), words("about", "About"), change),
    numbers("parameters", "Parameters"),
    ...FIRST_VERBS.map(code),
  ];
  const more = [numbers("state", "State"), ...MORE_VERBS.map(code)];
  const discard = element("button", { type: "button", class: "press", click: remove }, "Remove");
  discard.setAttribute("aria-label", `Remove the controller ${name}`);
  return {
    element: element(
      "fieldset",
      { class: "own-controller", tabindex: -1 },
      element("legend", {}, `Your controller ${name}`),
      element("div", { class: "row" }, box, discard),
      ...first.map((one) => one.element),
      element("details", { class: "others" }, element("summary", {}, `State and more verbs of ${name}`), ...more.map((one) => one.element)),
    ),
    fields: [...first, ...more],
  };
}
