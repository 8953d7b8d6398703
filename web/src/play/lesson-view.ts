// The lessons on the page: a list to choose from, and the one that is open with what the reader has found so far.

import { button } from "../page/dom";
import { unbroken } from "../page/number";
import { element } from "./dom";
import type { Tables } from "./experiment";
import { LESSONS } from "./lessons/index";
import { progress, suggested, type Lesson, type Suggestion } from "./lessons/lesson";
import type { Observed } from "./observed";

/** The lessons on the page. */
export class LessonView {
  readonly element: HTMLElement;
  private readonly list = element("ol", { class: "lessons" });
  private readonly open = element("article", { class: "lesson", "aria-live": "off" });
  private readonly finding = element("div", { class: "finding", role: "status" });
  private readonly seen = new Set<string>();
  lesson: Lesson | undefined;
  private before: Observed | undefined;
  private last: Observed | undefined;

  constructor(
    private readonly watch: {
      /** A lesson was opened, or closed. */
      readonly opened: (lesson: Lesson | undefined) => void;
      /** The reader wants these settings. */
      readonly tries: (tables: Tables) => void;
    },
  ) {
    this.element = element("section", { class: "part lessons-part", "aria-label": "Lessons" }, element("h2", {}, "Lessons"), this.list, this.open);
    this.fill();
  }

  /** Opens a lesson, or closes the one that is open. */
  show(lesson: Lesson | undefined): void {
    const closed = this.lesson;
    const focused = this.open.contains(document.activeElement);
    this.lesson = lesson;
    this.before = undefined;
    this.last = undefined;
    this.fill();
    if (!lesson) {
      this.open.replaceChildren();
      if (focused && closed) this.buttons[LESSONS.indexOf(closed)]?.focus();
      return;
    }
    const heading = element("h3", { tabindex: -1 }, `${LESSONS.indexOf(lesson) + 1}. ${lesson.title}`);
    const next = LESSONS[LESSONS.indexOf(lesson) + 1];
    this.open.replaceChildren(
      heading,
      ...lesson.idea.map((words) => element("p", {}, unbroken(words))),
      element("p", { class: "question" }, element("strong", {}, "Before you try: "), unbroken(lesson.question)),
      element("p", { class: "try" }, element("strong", {}, "Try: "), unbroken(lesson.suggestion.words), " ", this.suggestionButton(lesson.suggestion)),
      this.finding,
      element("p", {}, "Then:"),
      element(
        "ul",
        {},
        ...lesson.further.map((suggestion) => element("li", {}, unbroken(suggestion.words), " ", this.suggestionButton(suggestion))),
      ),
      element(
        "p",
        { class: "row" },
        button("Start again", () => {
          this.watch.opened(lesson);
        }, { class: "press" }),
        next &&
          button(`Next: ${next.title}`, () => {
            this.watch.opened(next);
          }, { class: "press" }),
        button("Close the lesson", () => {
          this.watch.opened(undefined);
        }, { class: "press" }),
      ),
    );
    this.say("open", "The lesson's own run comes first.");
    // The button that was pressed has gone with the lesson of before.
    if (focused) heading.focus();
  }

  /** Whether the open lesson lacks its own run, without which nothing is observed. */
  get lacksOwn(): boolean {
    return this.lesson !== undefined && this.before === undefined;
  }

  /** The lesson's own run came. */
  begin(run: Observed): void {
    this.before = run;
    this.observe(this.last ?? run);
  }

  /** A whole run came: the lesson's own, or the reader's. */
  observe(run: Observed): void {
    const { lesson } = this;
    this.last = run;
    if (!lesson || !this.before) return;
    const found = progress(lesson, this.before, run);
    if (found.state === "open") {
      this.say("open", `To observe: ${found.words}`);
      return;
    }
    if (found.state === "seen") {
      this.seen.add(lesson.id);
      this.fill();
      this.say("seen", `Observed. ${lesson.observation(this.before, run)}`, found.words);
      return;
    }
    this.say("otherwise", `Not what the lesson expects: ${lesson.observation(this.before, run)}`, `Measured here: ${found.words}`);
  }

  private say(state: string, words: string, more?: string): void {
    const parts = [element("p", {}, unbroken(words)), ...(more === undefined ? [] : [element("p", { class: "measured" }, unbroken(more))])];
    // A region that is filled anew is read anew, and each run of the reader's says something.
    const isSaid = this.finding.dataset.state === state && this.finding.textContent === parts.map((part) => part.textContent).join("");
    if (isSaid) return;
    this.finding.dataset.state = state;
    this.finding.replaceChildren(...parts);
  }

  private suggestionButton(suggestion: Suggestion): HTMLButtonElement {
    return button("Do it", () => {
      if (this.lesson) this.watch.tries(suggested(this.lesson, suggestion));
    }, { class: "press", "aria-label": `Do it: ${suggestion.words}` });
  }

  private get buttons(): HTMLButtonElement[] {
    return [...this.list.querySelectorAll("button")];
  }

  private fill(): void {
    const focused = this.buttons.findIndex((one) => one === document.activeElement);
    this.list.replaceChildren(
      ...LESSONS.map((lesson) => {
        const done = this.seen.has(lesson.id);
        return element(
          "li",
          {},
          button(lesson.title, () => {
            this.watch.opened(lesson);
          }, { class: "press", "aria-current": lesson === this.lesson ? "true" : undefined }),
          done && element("span", { class: "done" }, " observed"),
        );
      }),
    );
    this.buttons[focused]?.focus();
  }
}
