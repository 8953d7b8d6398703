// The settings of an experiment: the path, its traffic, the controllers, the run, and every other field that the
// schema of scenario files knows. Every change is a new set of tables; the form is laid anew only where tables come
// and go, so that an input keeps its place while one types.

import { element } from "./dom";
import {
  chainFault,
  chained,
  controllers,
  field,
  isTable,
  numbered,
  tablesOf,
  withControllers,
  withField,
  withoutTable,
  withTable,
  type Tables,
  type Value,
} from "./experiment";
import {
  callField,
  choiceField,
  countField,
  textField,
  textOf,
  type Change,
  type Choice,
  type Field,
  type Words,
} from "./fields";
import { nameFault, ownChoices, ownControllerEditor, ownNames, renamed, withOwnController, withoutOwnController } from "./own-controllers";
import type { SettingNames } from "./setting-names";
import { BDP, formatQuantity, LOSS, parseQuantity, RATE, SPAN, TIME, type Scale } from "./quantity";

/** The part of the JSON Schema of scenario files that the form reads. */
export interface Schema {
  readonly properties: Readonly<Record<string, Property>>;
  readonly definitions: Readonly<Record<string, { readonly properties: Readonly<Record<string, Property>> }>>;
}

interface Property {
  readonly description?: string;
  readonly default?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly { readonly type?: string | readonly string[]; readonly items?: object }[];
  readonly allOf?: readonly object[];
  readonly items?: object;
  readonly type?: string | readonly string[];
}

/** Names to choose from. */
export interface Catalog {
  readonly controllers: readonly Choice[];
  readonly queues: readonly Choice[];
}

/** A fault of the settings, at a field if it has one. */
export interface FormFault {
  readonly path: string | undefined;
  readonly words: string;
}

/** The form on the page. */
export interface Form {
  readonly element: HTMLElement;
  /** Shows these tables; `usual` are the controllers that run where they name none. */
  show(tables: Tables, usual: readonly string[]): void;
  /** Shows these faults at their fields; returns those that have no field here. */
  faults(faults: readonly FormFault[]): FormFault[];
  /** Moves the focus to the first of these fields that there is, and opens what hides it. */
  focus(paths: readonly string[]): void;
}

/** When a flow that is added begins, in seconds, and at most this share of the run. */
const ADDED_START_S = 10;
const ADDED_START_SHARE = 1 / 3;

/** When a flow that is added to a run of this time begins: other flows have the path to themselves before. */
export function addedStart(time: Value | undefined): string {
  const known = typeof time === "string" ? parseQuantity(time, TIME) : undefined;
  return formatQuantity(Math.min(ADDED_START_S, (known ?? Infinity) * ADDED_START_SHARE), TIME);
}

/** A form without fields, in the place of one whose schema is still to come. */
export function absentForm(): Form {
  return {
    element: element("form", { class: "settings", "aria-label": "Settings", "aria-busy": "true" }),
    show: () => undefined,
    faults: (faults) => [...faults],
    focus: () => undefined,
  };
}

/** Makes a form. `change` is called with the tables that a reader's action leads to. */
export function settingsForm(
  schema: Schema,
  catalog: Catalog,
  change: (tables: Tables, turning: boolean) => void,
): Form {
  const root = element("form", {
    class: "settings",
    "aria-label": "Settings",
    submit: (event) => {
      event.preventDefault();
    },
  });
  let tables: Tables = {};
  let usual: readonly string[] = [];
  let fields: Field[] = [];
  let structure = "";

  const act: Change = (path, value, turning) => {
    if (path.startsWith("cc.")) {
      const names = [...underTest()];
      const at = Number(path.slice(3));
      if (value === undefined) names.splice(at, 1);
      else names[at] = textOf(value);
      change(withControllers(tables, names), turning);
      return;
    }
    change(withField(tables, path, value), turning);
  };

  /** The controllers that run, by name or because none is named. */
  function underTest(): readonly string[] {
    const named = controllers(tables);
    return named.length > 0 ? named : usual;
  }

  /** The words around a field that the form knows by name. */
  function words<T extends keyof SettingNames>(table: T, name: SettingNames[T], label: string): Words {
    return wordsOf(schemaOf(table)[name], label);
  }

  /** The controllers to choose from: the catalog's and the reader's. */
  function choices(): readonly Choice[] {
    return [...ownChoices(tables), ...catalog.controllers];
  }

  function add(into: HTMLElement, made: Field): void {
    fields.push(made);
    into.append(made.element);
  }

  function text<T extends keyof SettingNames>(
    into: HTMLElement,
    prefix: string,
    table: T,
    name: SettingNames[T],
    label: string,
    scale?: Scale,
  ): void {
    const around = words(table, name, label);
    const beside = followed(around);
    const follows = beside && { path: prefix + beside, absent: wordsOf(schemaOf(table)[beside], beside).absent };
    const isList = !scale && isListProperty(schemaOf(table)[name]);
    const options = { ...(scale ? { scale } : {}), ...(follows ? { follows } : {}), isList };
    add(into, textField(`${prefix}${name}`, around, act, options));
  }

  function schemaOf(table: string): Readonly<Record<string, Property>> {
    return table === "" ? schema.properties : (schema.definitions[table]?.properties ?? {});
  }

  /** Every field of a table that has none yet, behind a disclosure. */
  function others(into: HTMLElement, prefix: string, table: string, title: string): void {
    const shown = new Set(fields.map((one) => one.path));
    const rest = Object.entries(schemaOf(table)).filter(
      ([name, property]) =>
        name !== "name" && !shown.has(prefix + name) && isPlain(property) && !TABLES.has(name),
    );
    const details = element("details", { class: "others" }, element("summary", {}, title));
    for (const [name, property] of rest) {
      const label = name.replaceAll("_", " ");
      if (property.enum) {
        const options = [["", wordsOf(property, label).absent ?? "default"] as const];
        const all = [...options, ...property.enum.map((value) => [value, value] as const)];
        add(details, choiceField(prefix + name, wordsOf(property, label), all, act));
      } else if (property.type === "boolean" || property.type?.includes("boolean")) {
        const standard = wordsOf(property, label).absent ?? "default";
        const all = [["", `as usual: ${standard}`], ["true", "on"], ["false", "off"]] as const;
        add(details, choiceField(prefix + name, wordsOf(property, label), all, act));
      } else {
        add(details, textField(prefix + name, wordsOf(property, label), act, { isList: isListProperty(property) }));
      }
    }
    if (rest.length > 0) into.append(details);
  }

  function group(title: string, ...children: HTMLElement[]): HTMLElement {
    return element("fieldset", { tabindex: -1 }, element("legend", {}, title), ...children);
  }

  function button(label: string, action: () => void, kind = "press"): HTMLButtonElement {
    return element("button", { type: "button", class: kind, click: action }, label);
  }

  function lay(): void {
    const refocus = kept(root);
    const open = new Set(
      [...root.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent),
    );
    fields = [];
    const parts = [controllerFields(), ...pathFields(), trafficFields(), runFields()];
    // Fields that the parts above show stand there alone.
    const [, path] = parts;
    if (path && isTable(tables.dumbbell)) others(path, "dumbbell.", "dumbbell", "More of the path");
    root.replaceChildren(...parts);
    for (const summary of root.querySelectorAll("details.others > summary")) {
      if (open.has(summary.textContent)) summary.parentElement?.setAttribute("open", "");
    }
    for (const made of fields) made.show(tables);
    refocus();
  }

  function controllerFields(): HTMLElement {
    const names = underTest();
    const box = group("Controllers");
    if (names.length > 0 && controllers(tables).length === 0) {
      const words = "The experiment names no controllers: these are the usual ones of such hosts.";
      box.append(element("p", { class: "notes" }, words));
    }
    names.forEach((_, i) => {
      const row = element("div", { class: "row" });
      const label = names.length === 1 ? "Controller under test" : `Controller ${i + 1}`;
      const made = callField(`cc.${i}`, { label }, choices(), act);
      const remove = button("Remove", () => {
        act(`cc.${i}`, undefined, false);
      });
      // The list `cc` may be a single text, or absent; its entries are shown by their number.
      const entry: Field = {
        ...made,
        show: () => {
          made.show({ cc: Object.fromEntries(underTest().map((one, at) => [String(at), one])) });
          remove.setAttribute("aria-label", `Remove ${underTest()[i] ?? ""}`);
        },
      };
      fields.push(entry);
      row.append(made.element);
      if (names.length > 1) row.append(remove);
      box.append(row);
    });
    ownNames(tables).forEach((name, number) => {
      const editor = ownControllerEditor(name, (one, label) => words("controllers.NAME", one, label), act, number, {
        rename: (to) => {
          const fault = nameFault(tables, name, to, catalog.controllers);
          if (fault === undefined && to !== name) change(renamed(tables, name, to), false);
          return fault;
        },
        remove: () => {
          change(withoutOwnController(tables, name), false);
        },
      });
      fields.push(...editor.fields);
      box.append(editor.element);
    });
    // Another choice may be under test by then.
    const add = button("Add a controller", () => {
      const now = underTest();
      const next = ["westwood+", "reno", "cubic", "bbr", "westwood"].find((one) => !now.includes(one));
      change(withControllers(tables, [...now, next ?? "reno"]), false);
    });
    const write = button("Write a controller", () => {
      change(withOwnController(tables, underTest()), false);
    });
    box.append(element("div", { class: "row" }, add, write));
    return box;
  }

  function pathFields(): HTMLElement[] {
    const boxes: HTMLElement[] = [];
    if (isTable(tables.dumbbell)) {
      const box = group("Path");
      const prefix = "dumbbell.";
      text(box, prefix, "dumbbell", "rate", "Rate", RATE);
      text(box, prefix, "dumbbell", "rtt", "Round-trip time", TIME);
      text(box, prefix, "dumbbell", "buffer", "Buffer", BDP);
      text(box, prefix, "dumbbell", "loss", "Random loss", LOSS);
      add(
        box,
        callField(`${prefix}aqm`, words("dumbbell", "aqm", "Queue"), catalog.queues, act, { absent: "droptail (default)" }),
      );
      text(box, prefix, "dumbbell", "return_rate", "Rate back", RATE);
      if (tablesOf(tables, "link").length === 0) {
        const refusal = element("p", { class: "fault", role: "alert" });
        box.append(
          button("Make it three hops", () => {
            refusal.textContent = chainFault(tables) ?? "";
            if (refusal.textContent === "") change(chained(tables, 3), false);
          }),
          refusal,
        );
      }
      boxes.push(box);
    }
    const links = tablesOf(tables, "link");
    links.forEach((link, i) => {
      const name = textName(link.name, i);
      const prefix = `link.${i + 1}.`;
      const box = group(`Link ${name}`);
      if (link.trace === undefined) text(box, prefix, "link", "rate", "Rate", RATE);
      text(box, prefix, "link", "delay", "Delay, one way", TIME);
      text(box, prefix, "link", "buffer", "Buffer", BDP);
      text(box, prefix, "link", "loss", "Random loss", LOSS);
      add(
        box,
        callField(`${prefix}aqm`, words("link", "aqm", "Queue"), catalog.queues, act, { absent: "droptail (default)" }),
      );
      others(box, prefix, "link", `More of link ${name}`);
      boxes.push(box);
    });
    if (links.length > 0) {
      const last = links.at(-1);
      const row = element("div", { class: "row" });
      row.append(
        button("Add a hop at the end", () => {
          change(withHop(tables), false);
        }),
      );
      if (links.length > 1 && last && removable(tables)) {
        row.append(
          button("Remove the last hop", () => {
            change(withoutHop(tables), false);
          }),
        );
      }
      boxes.at(-1)?.append(row);
    }
    return boxes;
  }

  function trafficFields(): HTMLElement {
    const box = group("Traffic");
    if (isTable(tables.dumbbell)) {
      const prefix = "dumbbell.";
      add(box, countField(`${prefix}flows`, words("dumbbell", "flows", "Flows under test"), act, { least: 1 }));
      text(box, prefix, "dumbbell", "size", "Each transfers");
      add(box, countField(`${prefix}reverse_flows`, words("dumbbell", "reverse_flows", "Flows in the other direction"), act));
      add(
        box,
        callField(`${prefix}against_cc`, words("dumbbell", "against_cc", "Competing flows"), choices(), act, {
          absent: "none",
        }),
      );
      if (field(tables, "dumbbell.against_cc") !== undefined) {
        add(box, countField(`${prefix}against_flows`, words("dumbbell", "against_flows", "How many compete"), act, { least: 1 }));
      }
    }
    tablesOf(tables, "flow").forEach((flow, i) => {
      const name = textName(flow.name, i);
      const prefix = `flow.${i + 1}.`;
      const inner = group(`Flows: ${name}`);
      if (isTable(flow.udp)) {
        add(inner, textField(`${prefix}udp.rate`, words("udp", "rate", "UDP rate"), act, { scale: RATE }));
      } else {
        add(inner, callField(`${prefix}cc`, words("flow", "cc", "Controller"), choices(), act, { absent: "the one under test" }));
        text(inner, prefix, "flow", "rtt", "Round-trip time", TIME);
        text(inner, prefix, "flow", "size", "Each transfers");
      }
      add(inner, countField(`${prefix}count`, words("flow", "count", "How many"), act, { least: 1 }));
      text(inner, prefix, "flow", "start", "Start");
      others(inner, prefix, "flow", `More of flows ${name}`);
      inner.append(
        button(`Remove flows ${name}`, () => {
          change(withoutTable(tables, "flow", i), false);
        }),
      );
      box.append(inner);
    });
    const row = element("div", { class: "row" });
    for (const [label, table] of additions(tables)) {
      row.append(
        button(label, () => {
          change(withTable(tables, "flow", table), false);
        }),
      );
    }
    box.append(row);
    return box;
  }

  function runFields(): HTMLElement {
    const box = group("Run");
    text(box, "", "", "time", "Simulated time", SPAN);
    text(box, "", "", "warmup", "Measured from");
    add(box, countField("seeds", words("", "seeds", "Seeds"), act, { least: 1 }));
    add(box, countField("seed", words("", "seed", "First seed"), act, { most: Infinity }));
    add(
      box,
      choiceField(
        "like",
        words("", "like", "Hosts like"),
        [
          ["", "the RFCs' hosts with SACK"],
          ["linux", "Linux 6.1"],
          ["linux-6.18", "Linux 6.18"],
          ["rfc", "the RFCs"],
          ["ns-2", "ns-2"],
        ],
        act,
      ),
    );
    others(box, "tcp.", "tcp", "More of TCP");
    return box;
  }

  return {
    element: root,
    show: (shown, running) => {
      tables = shown;
      usual = running;
      const now = structureOf(shown, usual);
      if (now === structure) {
        for (const made of fields) made.show(shown);
        return;
      }
      structure = now;
      lay();
    },
    faults: (faults) => {
      const left: FormFault[] = [];
      const words = new Map<Field, string>();
      for (const fault of faults) {
        const place = fault.path;
        const at = fields.find(
          (one) => place !== undefined && (samePath(tables, one.path, place) ||
              (place === "cc" && one.path.startsWith("cc.")) ||
              (place.startsWith("controllers.") && place.startsWith(`${one.path}.`))),
        );
        const before = at && words.get(at);
        if (at) words.set(at, before === undefined ? fault.words : `${before}; ${fault.words}`);
        else left.push(fault);
      }
      for (const made of fields) {
        made.fault(words.get(made));
        // A fault is to be seen.
        if (words.has(made)) disclose(made.element);
      }
      return left;
    },
    focus: (paths) => {
      const inputs = [...root.querySelectorAll<HTMLElement>("[name]:not(:disabled)")];
      const [input] = paths.flatMap((path) => inputs.find((one) => samePath(tables, one.getAttribute("name") ?? "", path)) ?? []);
      if (input) disclose(input);
      input?.scrollIntoView({ block: "center" });
      input?.focus();
    },
  };
}

/** Opens what hides a part of the form. */
function disclose(part: HTMLElement): void {
  for (let up = part.parentElement; up; up = up.parentElement) {
    if (up instanceof HTMLDetailsElement) up.open = true;
  }
}

/** The name by which an element is found again in a form that was laid anew. */
function keyOf(part: Element): string {
  const name = part.getAttribute("name") ?? part.getAttribute("data-key");
  return name ?? `${part.tagName} ${part.getAttribute("aria-label") ?? part.textContent}`;
}

/**
 * Remembers where in a form the focus is, to give it back after the form was laid anew: to the same element, else to
 * the group that it was in, by its heading, else to the group in its place.
 */
function kept(root: HTMLElement): () => void {
  const focused = document.activeElement;
  if (!focused || focused === root || !root.contains(focused)) return () => undefined;
  const [key, headings] = [keyOf(focused), new Set<string>()];
  for (let up = focused.parentElement; up && up !== root; up = up.parentElement) {
    if (up instanceof HTMLFieldSetElement) headings.add(up.querySelector("legend")?.textContent ?? "");
  }
  const place = [...root.children].findIndex((part) => part.contains(focused));
  return () => {
    const same = [...root.querySelectorAll<HTMLElement>("input, select, textarea, button, summary")].find((part) => keyOf(part) === key);
    const groups = [...root.querySelectorAll("fieldset")];
    const [group] = [...headings].flatMap((heading) => groups.find((one) => one.querySelector("legend")?.textContent === heading) ?? []);
    (same ?? group ?? groups.find((one) => one === root.children[place]))?.focus();
  };
}

/** The words of the schema around a field. */
export function wordsOf(property: Property | undefined, label: string): Words {
  const [help, words] = (property?.description ?? "").split(" Without it: ");
  const whole = property?.default ?? words?.replace(/\.$/, "").replaceAll("`", "");
  // An empty input has room for what holds as a rule, and a slider reads no more; the help has the whole.
  const absent = whole?.split(/[,;]/)[0];
  return { label, help: absent === whole ? help : `${help ?? ""} Without it: ${whole ?? ""}.`.trim(), absent };
}

/** The field of the same table whose value an empty field takes, as that of the other direction does. */
export function followed({ absent }: Words): string | undefined {
  return /^as ([a-z_]+)$/.exec(absent ?? "")?.[1];
}

/** Fields that are tables of their own, and such as the form shows in another way. */
const TABLES = new Set(["controllers", "dumbbell", "link", "flow", "change", "tcp", "measure", "record", "limits", "sweep", "variant"]);

function isPlain(property: Property): boolean {
  return property.allOf === undefined && property.type !== "object" && (property.type !== "array" || property.anyOf !== undefined);
}

function isListProperty(property: Property | undefined): boolean {
  return property?.anyOf?.some((one) => one.type === "array") ?? false;
}

function textName(name: Value | undefined, i: number): string {
  return typeof name === "string" ? name : String(i + 1);
}

/** All that decides which fields there are. */
function structureOf(tables: Tables, usual: readonly string[]): string {
  const names = (list: string): string[] =>
    tablesOf(tables, list).map((table, i) => `${textName(table.name, i)} ${String(isTable(table.udp))}`);
  const rival = field(tables, "dumbbell.against_cc") !== undefined;
  return JSON.stringify([
    controllers(tables).length,
    usual.length,
    ownChoices(tables).map(({ name, parameters }) => [name, parameters]),
    isTable(tables.dumbbell),
    names("link"),
    names("flow"),
    rival,
  ]);
}

/** True of two paths to the same field: a table of a list may be said by its name or its number. */
function samePath(tables: Tables, a: string, b: string): boolean {
  return numbered(tables, a) === numbered(tables, b);
}

/** The nodes at the ends of the flows under test, between which traffic may be added. */
function ends(tables: Tables): [Value, Value] {
  if (isTable(tables.dumbbell)) return ["left", "right"];
  const [flow] = tablesOf(tables, "flow");
  const links = tablesOf(tables, "link");
  return [flow?.from ?? links[0]?.from ?? "left", flow?.to ?? links.at(-1)?.to ?? "right"];
}

/** Groups of flows that one may add. */
function additions(tables: Tables): [label: string, table: Tables][] {
  const [from, to] = ends(tables);
  const free = (name: string): string => {
    const names = new Set(tablesOf(tables, "flow").map((table) => table.name));
    for (let i = 1; ; i++) {
      const tried = i === 1 ? name : `${name} ${i}`;
      if (!names.has(tried)) return tried;
    }
  };
  const first = tablesOf(tables, "flow")[0]?.rtt;
  const rtt = { rtt: field(tables, "dumbbell.rtt") ?? first ?? "100 ms" };
  const start = addedStart(tables.time);
  return [
    ["Add a late flow", { name: free("late"), from, to, ...rtt, start }],
    ["Add UDP", { name: free("udp"), from, to, ...rtt, start, udp: { rate: "2 Mbit/s" } }],
    ["Add reverse traffic", { name: free("back"), from: to, to: from, ...rtt }],
    ...(tablesOf(tables, "link").length > 1
      ? ([
          [
            "Add cross traffic",
            {
              name: free("cross"),
              over: tablesOf(tables, "link")[0]?.name ?? "",
              access_delay: "10 ms",
            },
          ],
        ] as [string, Tables][])
      : []),
  ];
}

/** One more hop behind the last link, to which the flows that ended there lead on. */
function withHop(tables: Tables): Tables {
  const links = tablesOf(tables, "link");
  const last = links.at(-1);
  if (!last) return tables;
  const numbers = links.map((link) => Number(/([0-9]+)$/.exec(textName(link.name, 0))?.[1] ?? 0));
  const number = Math.max(links.length, ...numbers) + 1;
  const [end, next] = [last.to ?? "", `router ${number + 1}`];
  const moved = tablesOf(tables, "flow").map((flow) => ({
    ...flow,
    ...(flow.to === end ? { to: next } : {}),
    ...(flow.from === end ? { from: next } : {}),
  }));
  return { ...tables, link: [...links, { ...last, name: `hop ${number}`, from: end, to: next }], flow: moved };
}

/** True if the last link may go: all other links are before it. */
function removable(tables: Tables): boolean {
  const links = tablesOf(tables, "link");
  const last = links.at(-1);
  const crossed = tablesOf(tables, "flow").some((flow) => flow.over === last?.name);
  return links.filter((link) => link.to === last?.from).length === 1 && !crossed;
}

function withoutHop(tables: Tables): Tables {
  const links = tablesOf(tables, "link");
  const last = links.at(-1);
  if (!last) return tables;
  const moved = tablesOf(tables, "flow").map((flow) => ({
    ...flow,
    ...(flow.to === last.to ? { to: last.from ?? "" } : {}),
    ...(flow.from === last.to ? { from: last.from ?? "" } : {}),
  }));
  return { ...tables, link: links.slice(0, -1), flow: moved };
}
