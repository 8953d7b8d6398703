// The moment that is shown, and the buttons that move it: play, slower, a step, any time of the run.

import { button } from "../page/dom";
import { withUnit } from "../page/number";
import { element } from "./dom";

/** Slownesses to choose from: so many times slower than the network. */
const SLOWNESS = [1, 3, 10, 30, 100, 300, 1000] as const;
/** A step is as long as the animation shows in so much time, in seconds. */
const STEP_S = 0.5;

/** A view that shows a moment. */
export interface MomentLayer {
  /** The time until which the run can be shown from here on; undefined while that part is loaded. */
  readyUntil(time: number): number | undefined;
  /** Shows a moment. */
  show(time: number): void;
}

/** The moment so many seconds later, or the end of all that can be shown: the clock stands while packets are loaded. */
export function advanced(
  time: number,
  by: number,
  layers: readonly Pick<MomentLayer, "readyUntil">[],
  end: number,
): number {
  return Math.min(time + by, end, ...layers.map((layer) => layer.readyUntil(time) ?? time));
}

/** The clock of the page. */
export class Transport {
  readonly element: HTMLElement;
  private readonly playButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly slowness: HTMLSelectElement;
  private readonly clock: HTMLOutputElement;
  private layers: readonly MomentLayer[] = [];
  private end = 0;
  private time = 0;
  private playing = false;
  private before: number | undefined;
  /** The picture that was asked for last. */
  private asked = 0;
  /** A reader chose the slowness. */
  private chosen = false;

  /** `moved` is called with the moment, whenever it changes. */
  constructor(private readonly moved: (time: number, playing: boolean) => void) {
    this.playButton = button("Play", () => {
      this.play(!this.playing);
    }, { class: "press play" });
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: 1000,
      step: 1,
      "aria-label": "Moment of the run",
      input: () => {
        this.seek((Number(this.slider.value) / 1000) * this.end);
      },
    });
    this.slowness = element(
      "select",
      {
        "aria-label": "Slowness of the animation",
        change: () => {
          this.chosen = true;
        },
      },
      ...SLOWNESS.map((times) =>
        element("option", { value: times, selected: times === 30 }, times === 1 ? "real time" : `${times} x slower`),
      ),
    );
    this.clock = element("output", { class: "clock" }, "0.000 s");
    const step = (label: string, words: string, by: number): HTMLButtonElement =>
      button(label, () => {
        this.play(false);
        this.seek(this.time + (by * STEP_S) / this.times);
      }, { class: "press", "aria-label": words, title: words });
    this.element = element(
      "div",
      { class: "transport", role: "group", "aria-label": "Animation of the packets" },
      this.playButton,
      step("\u2190", "a step back", -1),
      step("\u2192", "a step forward", 1),
      this.slider,
      this.clock,
      this.slowness,
    );
  }

  private get times(): number {
    return Number(this.slowness.value);
  }

  /** The moment that is shown, in seconds. */
  get moment(): number {
    return this.time;
  }

  /** Shows other layers, of runs that end at this time. */
  attach(layers: readonly MomentLayer[], end: number): void {
    this.layers = layers;
    this.end = end;
    this.seek(this.time);
  }

  /** Shows a moment. */
  seek(time: number): void {
    this.time = Math.max(0, Math.min(time, this.end));
    this.show();
  }

  /** Chooses how many times slower than the network the packets move, unless a reader has chosen. */
  slow(times: number): void {
    if (this.chosen) return;
    this.slowness.value = String(SLOWNESS.find((one) => one >= times) ?? SLOWNESS.at(-1));
  }

  /** Starts or stops. */
  play(on: boolean): void {
    if (on === this.playing) return;
    this.playing = on;
    this.playButton.textContent = on ? "Pause" : "Play";
    this.before = undefined;
    // Pressed twice within a picture, the clock would go on in two chains.
    cancelAnimationFrame(this.asked);
    if (!on) {
      this.moved(this.time, false);
      return;
    }
    if (this.time >= this.end) this.seek(0);
    this.asked = requestAnimationFrame(this.frame);
  }

  private readonly frame = (now: number): void => {
    if (!this.playing) return;
    // A picture that came late does not make the packets jump.
    const passed = this.before === undefined ? 0 : Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    this.time = advanced(this.time, passed / this.times, this.layers, this.end);
    const over = this.time >= this.end;
    if (over) this.play(false);
    this.show();
    if (!over) this.asked = requestAnimationFrame(this.frame);
  };

  private show(): void {
    this.slider.value = String(Math.round((1000 * this.time) / Math.max(1e-9, this.end)));
    this.slider.setAttribute("aria-valuetext", `${this.time.toFixed(3)} seconds`);
    this.clock.textContent = withUnit(this.time.toFixed(3), "s");
    for (const layer of this.layers) layer.show(this.time);
    this.moved(this.time, this.playing);
  }
}
