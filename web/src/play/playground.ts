// The playground: the settings of one experiment or of two, their drawn paths with packets, their results, and the
// lessons. The address always holds what is shown.

import { BadAddress } from "../engine/address";
import { Cancelled, type Catalog, type Engine, type Job, type Outcome, type Plan } from "../engine/api";
import { button } from "../page/dom";
import { plain, span, withUnit } from "../page/number";
import { element } from "./dom";
import { onTheme } from "../page/theme";
import { linkFields, parseToml, usualControllers, type Tables } from "./experiment";
import type { Choice } from "./fields";
import { absentForm, settingsForm, type Form, type FormFault, type Schema } from "./form";
import { Latest } from "./latest";
import { LessonView } from "./lesson-view";
import { LESSONS } from "./lessons/index";
import type { Lesson } from "./lessons/lesson";
import { roundTrip } from "./network";
import type { RunOfPackets } from "./packet-parts";
import { networkView } from "./packets";
import { plainNetwork } from "./plain-network";
import { FIRST, presetGroups, type PresetGroup } from "./presets";
import { Results } from "./results";
import { numbers, observed, rowsByName } from "./runs";
import { Sequence } from "./sequence";
import { Side, reachedBy, seriesOf, type Shown, type Simulated } from "./side";
import { Stage } from "./stage";
import { readState, stateOfPage, writeState, type PageState } from "./state";
import { Transport } from "./transport";

/** One of the two experiments, with all of the page that belongs to it alone. */
interface Half {
  readonly side: Side;
  readonly stage: Stage;
  readonly status: HTMLElement;
  readonly bar: HTMLProgressElement;
  readonly ask: HTMLElement;
  faults: readonly FormFault[];
  /** The controllers that run though its text names none, as its plan says. */
  usual: readonly string[];
  /** The time and the network that the settings mean, once they have been understood. */
  nature: string | undefined;
  shown: Shown | undefined;
  /** The results whose path and packets are drawn: undefined as soon as other settings have been understood. */
  drawn: Shown | undefined;
  /** The curves of a run that goes on, or was stopped. */
  grown: Simulated | undefined;
}

/** The address changes so long after the last change of a setting, in milliseconds. */
const ADDRESS_REST_MS = 300;

/** The page. */
export class Playground {
  readonly element: HTMLElement;
  private readonly halves: Half[] = [];
  private active = 0;
  /** The settings; their fields come from the engine's schema. */
  private form: Form = absentForm();
  private readonly results: Results;
  private readonly transport: Transport;
  private readonly sequence: Sequence;
  private readonly lessons: LessonView;
  private readonly editor: HTMLTextAreaElement;
  private readonly general = element("ul", { class: "faults", role: "alert" });
  private readonly tabs = element("div", { class: "tabs", role: "group", "aria-label": "Which experiment the settings are of" });
  private readonly stages = element("div", { class: "stages" });
  private readonly besideButton: HTMLButtonElement;
  private readonly presets: HTMLSelectElement;
  private groups: readonly PresetGroup[] = [];
  private readonly about = element("p", { class: "lede about" });
  /** The fault of a link. It stays until another experiment is opened. */
  private readonly linkFault = element("p", { class: "link-fault", id: "link-fault", role: "alert" });
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The run of a lesson's own experiment beside the reader's. */
  private ownRun: { readonly lesson: Lesson; job?: Job<Outcome> } | undefined;
  /** The query and the hash that this page has written itself, or has read last. */
  private written = "";
  /** The state shown before another experiment came in its place, until the history has an entry of each. */
  private left: PageState | undefined;
  /** Texts take times of their own to unpack and to pack: one that comes after a later one does not count. */
  private readonly readings = new Latest();
  private readonly writings = new Latest();

  /** The page stands at once, in the place of `root`; what the engine has to say for it comes with `furnish`. */
  constructor(
    private readonly engine: Engine,
    root: HTMLElement,
  ) {
    this.transport = new Transport((moment) => {
      this.results.follow(moment);
    });
    this.results = new Results({
      go: (moment) => {
        this.transport.play(false);
        this.transport.seek(moment);
      },
      chose: () => {
        this.attach();
      },
    });
    this.sequence = new Sequence(engine, (moment) => {
      this.transport.play(false);
      this.transport.seek(moment);
    });
    this.lessons = new LessonView({
      opened: (lesson) => {
        this.asEntry(() => {
          this.openLesson(lesson);
        });
      },
      tries: (tables) => {
        this.setTables(tables, false);
      },
    });
    this.editor = element("textarea", {
      class: "toml",
      id: "toml",
      "aria-describedby": "toml-notes",
      spellcheck: "false",
      rows: 16,
      input: () => {
        this.current.side.setText(this.editor.value);
        this.form.show(this.current.side.tables, this.current.usual);
        this.keepAddress();
      },
    });
    this.besideButton = button("Compare with a second experiment", () => {
      if (this.halves.length > 1) this.removeBeside();
      else this.addBeside(this.current.side.text);
    }, { class: "press" });
    this.presets = this.presetChoice();
    this.element = this.page();
    root.replaceWith(this.element);
    this.addHalf();
    this.current.status.textContent = "The simulator is being unpacked\u2026";
    onTheme(() => {
      for (const half of this.halves) half.stage.draw();
    });
    // A step of the history may change the query alone, and a browser tells of some steps by both events.
    const moved = (): void => {
      const address = location.search + location.hash;
      if (address === this.written) return;
      this.written = address;
      // A change of before the step belongs to the entry that was left.
      clearTimeout(this.timer);
      this.left = undefined;
      this.writings.begin();
      void this.readAddress();
    };
    addEventListener("hashchange", moved);
    addEventListener("popstate", moved);
  }

  private presetChoice(): HTMLSelectElement {
    const presets = element(
      "select",
      {
        id: "preset",
        change: () => {
          const preset = this.groups.flatMap((group) => group.presets).find((one) => one.name === presets.value);
          if (!preset) return;
          this.asEntry(() => {
            this.showLesson(undefined);
            this.load(preset.toml, preset.name);
          });
        },
      },
      element("option", { value: "" }, "Choose a path or a figure"),
    );
    return presets;
  }

  private showForm(catalog: Catalog, schema: Schema): void {
    const choices = (list: Catalog["controllers"]): Choice[] =>
      list.map(({ name, aliases, about, parameters }) => ({
        name,
        aliases,
        summary: about,
        parameters: parameters.map((one) => ({ name: one.name, meaning: one.about, default: one.default, allowed: one.allowed })),
      }));
    const form = settingsForm(
      schema,
      { controllers: choices(catalog.controllers), queues: choices(catalog.queues) },
      (tables, turning) => {
        this.setTables(tables, turning);
      },
    );
    this.form.element.replaceWith(form.element);
    this.form = form;
    this.showSettings();
    this.showFaults();
    this.groups = presetGroups(catalog);
    const option = ({ name, about }: PresetGroup["presets"][number]): HTMLOptionElement => element("option", { value: name }, `${name}: ${about}`);
    this.presets.append(...this.groups.map(({ heading, presets }) => element("optgroup", { label: heading }, ...presets.map(option))));
  }

  private page(): HTMLElement {
    const link = element("input", {
      id: "link",
      type: "text",
      spellcheck: "false",
      autocomplete: "off",
      placeholder: "playground.html#\u2026",
      "aria-describedby": "link-fault",
      change: () => {
        const text = link.value.trim();
        link.value = "";
        if (text !== "") void this.openLink(text);
      },
    });
    const copied = element("span", { class: "notes", role: "status" });
    const copy = button("Copy the link", () => {
      void this.copyLink(copied);
    }, { class: "press" });
    const text = element(
      "details",
      { class: "as-text" },
      element("summary", {}, "The experiment as a scenario file"),
      element("label", { for: "toml" }, "TOML, as westwood run reads it"),
      this.editor,
      element("p", { class: "notes", id: "toml-notes" }, "Fields write this text anew, without its comments."),
    );
    return element(
      "main",
      { class: "playground" },
      this.jumps("Parts of the page"),
      this.lessons.element,
      element(
        "section",
        { class: "part start", "aria-label": "Experiment" },
        element("h2", {}, "Experiment"),
        element("p", { class: "chooser" }, element("label", { for: "preset" }, "Preset"), this.presets, this.besideButton, copy, copied),
        element("p", { class: "chooser" }, element("label", { for: "link" }, "Open a link, as reports have one"), link),
        this.linkFault,
        this.about,
      ),
      element(
        "div",
        { class: "bench" },
        element("section", { class: "settings-part", "aria-label": "Settings" }, this.tabs, this.general, this.form.element, text),
        element(
          "div",
          { class: "show" },
          element(
            "section",
            { class: "path-part", "aria-label": "Path" },
            element("h2", {}, "Path"),
            this.stages,
            this.transport.element,
            element(
              "p",
              { class: "notes" },
              "Squares are data, dots are ACKs. A frame marks what is sent again, a ring an ACK that acknowledges nothing " +
                "new. A cross falls where a packet is lost, with the reason.",
            ),
            this.sequence.element,
          ),
          this.results.element,
        ),
      ),
      this.jumps("Parts of the page, again"),
    );
  }

  /** On a small screen the settings are far from what they change. */
  private jumps(label: string): HTMLElement {
    const parts: [string, string][] = [
      ["Lessons", ".lessons-part"],
      ["Path", ".path-part"],
      ["Settings", ".settings-part"],
      ["Results", ".results"],
    ];
    return element(
      "nav",
      { class: "jumps", "aria-label": label },
      ...parts.map(([name, part]) =>
        button(name, () => {
          const place = document.querySelector<HTMLElement>(part);
          place?.scrollIntoView();
          // The keyboard goes on from there, too.
          place?.setAttribute("tabindex", "-1");
          place?.focus({ preventScroll: true });
        }, { class: "press" }),
      ),
    );
  }

  /** Opens what the address says: its path is drawn before the engine is there, if it is a plain one. */
  async open(): Promise<void> {
    await this.readAddress();
  }

  /** Waits for the engine, and gives the page its settings and its presets. */
  async furnish(): Promise<void> {
    const [catalog, schema] = await Promise.all([this.engine.catalog(), this.engine.schema()]);
    this.showForm(catalog, schema as Schema);
  }

  private get current(): Half {
    const half = this.halves[this.active];
    if (!half) throw new Error("the page has no experiment");
    return half;
  }

  private addHalf(): void {
    const number = this.halves.length;
    const status = element("p", { class: "notes status", role: "status" });
    const bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "Progress of the simulation" });
    const ask = element("p", { class: "ask", hidden: true });
    const stage = new Stage(
      this.engine,
      `Path of experiment ${"AB"[number] ?? ""}`,
      (link) => {
        this.choose(number);
        this.form.focus(linkFields(this.current.side.tables, link));
      },
      () => {
        this.transport.seek(this.transport.moment);
      },
    );
    const side = new Side(this.engine, {
      planned: (plan) => {
        this.planned(half, plan);
      },
      faulty: (faults) => {
        half.faults = faults;
        if (half === this.current) {
          // A run of before that failed says nothing of these settings.
          if (faults.length > 0) status.textContent = "";
          this.showFaults();
        } else if (faults.length > 0) status.textContent = "These settings have a fault, which is shown beside them.";
        this.showStale();
      },
      growing: (simulated) => {
        half.grown = simulated;
        this.drawGrown();
      },
      results: (shown) => {
        this.came(half, shown);
      },
      stopped: (simulated) => {
        status.textContent = stoppedWords(simulated);
        this.attach();
      },
      working: (share) => {
        showWork(share);
        this.calm();
      },
      asks: (packets) => {
        ask.hidden = packets === undefined;
        if (packets === undefined) return;
        const many = packets >= 1e6 ? `${Math.round(packets / 1e6)} million` : plain(packets, 2);
        const words = `The whole experiment has about ${withUnit(many, "packets")}. `;
        ask.replaceChildren(
          words,
          button("Run all of it", () => {
            status.textContent = "";
            side.runAll();
            // This button is gone by now.
            showWork(0);
            cancel.focus();
          }, { class: "press" }),
        );
      },
      failed: (words) => {
        status.textContent = half.shown ? `${words.replace(/\.?$/, ".")} ${OF_BEFORE}` : words;
        this.attach();
      },
    });
    const cancel = button("Cancel", () => {
      side.cancel();
      ask.querySelector("button")?.focus();
    }, { class: "press", hidden: true });
    const showWork = (share: number | undefined): void => {
      if (share === undefined && document.activeElement === cancel) place.focus();
      bar.hidden = share === undefined;
      cancel.hidden = share === undefined;
      bar.value = share ?? 0;
    };
    const half: Half = {
      side,
      stage,
      status,
      bar,
      ask,
      faults: [],
      usual: [],
      nature: undefined,
      shown: undefined,
      drawn: undefined,
      grown: undefined,
    };
    this.halves.push(half);
    const name = `Experiment ${"AB"[number] ?? ""}`;
    const place = element(
      "div",
      { class: "half", role: "group", tabindex: -1, "aria-label": name },
      element("h3", { class: "letter" }, name),
      stage.element,
      stage.words,
      element("div", { class: "row work" }, bar, cancel),
      status,
      ask,
    );
    this.stages.append(place);
    this.layTabs();
  }

  private addBeside(text: string): void {
    this.addHalf();
    this.active = 1;
    this.fill(text);
    this.layTabs();
  }

  private removeBeside(): void {
    const [, beside] = this.halves;
    beside?.side.stop();
    beside?.stage.setRun(undefined);
    this.halves.length = 1;
    this.stages.lastElementChild?.remove();
    this.choose(0);
    this.attach();
    this.results.show(this.halves.map((half) => half.shown));
    this.drawGrown();
    this.showStale();
    this.keepAddress();
  }

  private layTabs(): void {
    const two = this.halves.length > 1;
    this.stages.classList.toggle("two", two);
    this.besideButton.textContent = two ? "Remove experiment B" : "Compare with a second experiment";
    this.tabs.hidden = !two;
    const tabs = this.halves.map((_, i) =>
      button(`Experiment ${"AB"[i] ?? ""}`, () => {
        this.choose(i);
      }, { class: "press", "aria-pressed": String(i === this.active) }),
    );
    const focused = this.tabs.contains(document.activeElement);
    this.tabs.replaceChildren(...tabs);
    if (focused) tabs[this.active]?.focus();
  }

  /** Brings the settings of one of the experiments before the reader. */
  private choose(number: number): void {
    if (number !== this.active) this.presets.value = "";
    this.active = Math.min(number, this.halves.length - 1);
    this.layTabs();
    this.showSettings();
    this.showFaults();
  }

  private showSettings(): void {
    const { side, usual } = this.current;
    this.form.show(side.tables, usual);
    if (document.activeElement !== this.editor) this.editor.value = side.text;
    const about = side.tables.about;
    this.about.textContent = typeof about === "string" ? about : "";
  }

  private showFaults(): void {
    const left = this.form.faults(this.current.faults);
    this.general.replaceChildren(
      ...left.map((fault) => element("li", {}, fault.path === undefined ? fault.words : `${fault.path}: ${fault.words}`)),
    );
  }

  /** Opens another experiment in the place of that whose settings are shown; it may be a preset's. */
  private load(toml: string, preset = ""): void {
    this.presets.value = preset;
    // The moment, the enlarged span and the curves that were chosen are of the experiment before.
    this.transport.play(false);
    this.transport.seek(0);
    this.results.opened();
    this.fill(toml);
  }

  /** Another text for the experiment whose settings are shown. */
  private fill(toml: string): void {
    this.linkFault.textContent = "";
    this.current.usual = [];
    this.current.side.setText(toml);
    if (this.current.nature === undefined) {
      const network = plainNetwork(this.current.side.tables);
      if (network) this.current.stage.setNetwork(network);
    }
    this.showSettings();
    this.keepAddress();
  }

  private setTables(tables: Tables, turning: boolean): void {
    this.current.side.setTables(tables, turning);
    this.showSettings();
    this.keepAddress();
  }

  private planned(half: Half, plan: Plan): void {
    const usual = usualControllers(half.side.tables, plan);
    if (usual.join() !== half.usual.join()) {
      half.usual = usual;
      if (half === this.current) this.form.show(half.side.tables, usual);
    }
    const nature = natureOf(plan);
    const before = half.nature ?? this.halves[0]?.nature;
    if (before !== undefined && before !== nature) this.results.whole();
    half.nature = nature;
    half.status.textContent = "";
    half.drawn = undefined;
    half.grown = undefined;
    const network = plan.networks[this.pointOf(half)] ?? plan.networks[0];
    if (network) half.stage.setNetwork(networkView(network));
  }

  /** The point whose path and packets are drawn. */
  private pointOf(half: Half): number {
    return this.results.point(this.halves.indexOf(half));
  }

  private came(half: Half, shown: Shown): void {
    half.shown = shown;
    half.drawn = shown;
    half.grown = undefined;
    this.results.show(this.halves.map((one) => one.shown));
    this.drawGrown();
    this.attach();
    if (half !== this.halves[0] || shown.preview !== undefined) return;
    const run = observed(shown.tables, shown.plan, shown.outcome);
    if (!run) return;
    const { lesson } = this.lessons;
    if (lesson && this.lessons.lacksOwn) {
      if (shown.experiment.toml === lesson.experiment) this.lessons.begin(run);
      else void this.runLesson(lesson);
    }
    this.lessons.observe(run);
  }

  /** Draws the curves of runs that go on, of one experiment or of both at once. */
  private drawGrown(): void {
    if (this.halves.every((one) => one.grown === undefined)) return;
    const old = this.halves.some((one) => one.grown !== undefined && one.shown !== undefined && one.drawn === undefined);
    this.results.growing(this.halves.map((one) => one.grown ?? one.shown), old);
    this.calm();
  }

  /** Curves grow as long as one of the experiments is at work. */
  private calm(): void {
    if (this.halves.every((one) => one.bar.hidden)) this.results.still();
  }

  /** Says whether an experiment has a fault, so that results are of its settings before. */
  private showStale(): void {
    this.results.stale(this.halves.some((one) => one.faults.length > 0));
  }

  /** Runs a lesson's own experiment where a link, or a quick reader, has changed it before its run ended. */
  private async runLesson(lesson: Lesson): Promise<void> {
    if (this.ownRun?.lesson === lesson) return;
    this.ownRun?.job?.cancel();
    const own: { readonly lesson: Lesson; job?: Job<Outcome> } = { lesson };
    this.ownRun = own;
    try {
      const experiment = { toml: lesson.experiment };
      const plan = await this.engine.check(experiment);
      if (this.ownRun !== own) return;
      own.job = this.engine.run(experiment, { series: ["windows"] });
      const run = observed(parseToml(lesson.experiment), plan, await own.job.result);
      if (run && this.lessons.lesson === lesson && this.lessons.lacksOwn) this.lessons.begin(run);
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
    } finally {
      if (this.ownRun === own) this.ownRun = undefined;
    }
  }

  /** Gives the animation and the diagram the runs that are shown. */
  private attach(): void {
    for (const half of this.halves) {
      const network = half.drawn?.plan.networks[this.pointOf(half)];
      const view = network && networkView(network);
      // Points of a sweep may differ in their path. One that is the same keeps its place.
      if (view && JSON.stringify(view) !== JSON.stringify(half.stage.network)) half.stage.setNetwork(view);
      half.stage.setRun(this.packetsOf(half));
    }
    const ends = this.halves.map((half) => half.shown?.plan.time_s ?? 0);
    this.transport.attach(this.halves.map((half) => half.stage), Math.max(...ends));
    const [first] = this.halves;
    const shown = first?.drawn;
    if (!first || !shown) {
      this.sequence.setRun(undefined, undefined, []);
      return;
    }
    const point = this.pointOf(first);
    const drops = seriesOf(shown, point)?.drops;
    const flow = shown.plan.networks[point]?.flows[0]?.name ?? "";
    const rows = rowsByName(drops, "flow").get(flow) ?? new Uint32Array();
    const times = numbers(drops, "time_s");
    this.sequence.setRun(
      this.packetsOf(first),
      first.stage.network,
      Array.from(rows, (row) => times[row] ?? 0),
    );
    if (this.transport.moment === 0 && first.stage.network) {
      // Round trips of any length take about three seconds on the screen.
      this.transport.slow(3 / Math.max(1e-4, roundTrip(first.stage.network)));
    }
  }

  private packetsOf(half: Half): RunOfPackets | undefined {
    const shown = half.drawn;
    if (!shown) return undefined;
    const seed = shown.plan.seeds[0] ?? "1";
    return {
      experiment: shown.experiment,
      point: this.pointOf(half),
      seed,
      end: shown.plan.time_s,
    };
  }

  /** Opens a lesson, or closes the one that is open, with the run that it may have under way. */
  private showLesson(lesson: Lesson | undefined): void {
    if (this.ownRun && this.ownRun.lesson !== lesson) {
      this.ownRun.job?.cancel();
      this.ownRun = undefined;
    }
    this.lessons.show(lesson);
  }

  private openLesson(lesson: Lesson | undefined): void {
    if (this.halves.length > 1) this.removeBeside();
    this.showLesson(lesson);
    this.transport.seek(0);
    if (lesson) this.load(lesson.experiment);
    else this.keepAddress();
  }

  private keepAddress(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.writeAddress(), ADDRESS_REST_MS);
  }

  /** Puts another experiment in the place of the reader's, who may go back to that with its last change. */
  private asEntry(change: () => void): void {
    this.left ??= this.state();
    change();
    clearTimeout(this.timer);
    void this.writeAddress();
  }

  private state(): PageState {
    return {
      toml: this.halves[0]?.side.text,
      beside: this.halves[1]?.side.text,
      lesson: this.lessons.lesson?.id,
    };
  }

  private async writeAddress(): Promise<void> {
    const isLast = this.writings.begin();
    const [left, now] = [this.left, this.state()];
    const before = left && (await writeState(left));
    const address = await writeState(now);
    if (!isLast()) return;
    const write = (to: string, way: "replaceState" | "pushState"): void => {
      // A browser gives up a step of the history that is under way where an entry is replaced.
      if (to !== location.search + location.hash) history[way](null, "", entryOf(to));
    };
    if (before !== undefined) write(before, "replaceState");
    write(address, before === undefined ? "replaceState" : "pushState");
    this.left = undefined;
    this.written = location.search + location.hash;
  }

  private async readAddress(): Promise<void> {
    await this.opens(stateOfPage());
  }

  /** Opens a link that a reader has pasted: all that is behind the name of its page, which may be another one. */
  private async openLink(text: string): Promise<void> {
    const hash = text.indexOf("#");
    if (hash < 0 || hash === text.length - 1) {
      this.linkFault.textContent = "This is no link of an experiment: it has no # with the experiment behind it.";
      return;
    }
    const begin = text.slice(0, hash).indexOf("?");
    const query = begin < 0 ? "" : text.slice(begin, hash);
    await this.opens(readState(query, text.slice(hash)), (show) => {
      this.asEntry(show);
    });
  }

  /** Shows a state, or says what is wrong with its address. The experiment of before then stays. */
  private async opens(
    reading: Promise<PageState>,
    as: (show: () => void) => void = (show) => { show(); },
  ): Promise<void> {
    const isLast = this.readings.begin();
    try {
      const state = await reading;
      if (!isLast()) return;
      as(() => {
        this.apply(state);
      });
    } catch (error) {
      if (!(error instanceof BadAddress)) throw error;
      if (!isLast()) return;
      // The page has begun once its first half has a text.
      if (this.halves[0]?.side.text === "") this.load(FIRST);
      else this.keepAddress();
      this.linkFault.textContent = error.message;
    }
  }

  private apply(state: PageState): void {
    const lesson = LESSONS.find((one) => one.id === state.lesson);
    const unknown = state.lesson !== undefined && lesson === undefined;
    if (this.halves.length > 1) this.removeBeside();
    this.choose(0);
    this.showLesson(lesson);
    this.load(state.toml ?? lesson?.experiment ?? FIRST);
    if (state.beside !== undefined) this.addBeside(state.beside);
    if (unknown) {
      const shown = state.toml === undefined ? "This is the experiment that the page begins with." : "Its experiment is shown without one.";
      this.linkFault.textContent = `The link is of a lesson that this page does not have: ${state.lesson}. ${shown}`;
    }
  }

  private async copyLink(words: HTMLElement): Promise<void> {
    await this.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      words.textContent = "Copied.";
    } catch {
      // A page from disk may not write to the clipboard.
      words.textContent = "Copy it from the address bar.";
    }
  }
}

/** A part of the time of a run is the same part of another one while this is equal. */
function natureOf({ time_s, networks: [network] }: Plan): string {
  return JSON.stringify([time_s, network?.nodes, network?.links.map(({ name, from, to }) => [name, from, to])]);
}

/** The address of an entry of the history: without a query the one of before goes, too. */
function entryOf(address: string): string {
  return address.startsWith("?") ? address : location.pathname + address;
}

const OF_BEFORE = "The numbers below are those of before.";

/** The words about work that a reader has ended. */
function stoppedWords(simulated: Simulated | undefined): string {
  if (!simulated) return `Stopped before there was a curve. ${OF_BEFORE}`;
  const reached = simulated.series.map(({ point }) => reachedBy(simulated, point));
  return `Stopped at ${withUnit(span(Math.min(...reached), Math.max(...reached)), "s")} of ${withUnit(plain(simulated.plan.time_s), "s")}: curves end there. ${OF_BEFORE}`;
}
