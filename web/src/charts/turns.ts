/**
 * The order in which charts are drawn: those in sight at once, the others one after another while the page has
 * nothing else to do, and all of them before printing.
 */

/** The page is free for what its reader does after so long, in milliseconds: half a picture of a screen. */
const SLICE_MS = 8;

const turnOf = new WeakMap<Element, Turn>();
const waiting = new Set<Turn>();
const listeners = new Set<() => void>();
let sight: IntersectionObserver | undefined;
let [asked, resting] = [false, false];

/** The drawing of a chart, and of each later state of it. Until the first one its place is busy. */
export class Turn {
  /** Whether the place is in sight; not known before a drawing is asked for. */
  inSight: boolean | undefined;
  #drawn = false;

  /** The place has the height of the chart beforehand, so that nothing moves when the chart comes. */
  constructor(readonly place: HTMLElement, readonly draw: () => void) {
    place.setAttribute("aria-busy", "true");
  }

  /** Asks for a drawing. Several requests of one task make one drawing. */
  ask(): void {
    waiting.add(this);
    if (asked) return;
    asked = true;
    queueMicrotask(begin);
  }

  /** Draws now, if a drawing is asked for. */
  take(): void {
    if (!waiting.delete(this)) return;
    this.draw();
    if (this.#drawn) return;
    this.#drawn = true;
    this.place.removeAttribute("aria-busy");
  }

  /** There is nothing to draw any more. */
  end(): void {
    waiting.delete(this);
    sight?.unobserve(this.place);
    if (waiting.size === 0) tell();
  }

  /** Looks where the place is, and goes on doing so. */
  watch(): void {
    const { top, bottom, height } = this.place.getBoundingClientRect();
    this.inSight = height > 0 && bottom > 0 && top < innerHeight;
    turnOf.set(this.place, this);
    sight ??= watcher();
    sight.observe(this.place);
  }
}

function watcher(): IntersectionObserver {
  // On paper everything is in sight, and in the colours of paper: the theme hears of printing first.
  addEventListener("beforeprint", takeAll);
  matchMedia("print").addEventListener("change", takeAll);
  return new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const turn = turnOf.get(target);
      if (!turn) continue;
      turn.inSight = isIntersecting;
      if (isIntersecting) turn.take();
    }
  });
}

function begin(): void {
  asked = false;
  // All places are looked at before any chart is drawn, so that the page is laid out once.
  for (const turn of waiting) if (turn.inSight === undefined) turn.watch();
  for (const turn of waiting) if (turn.inSight) turn.take();
  rest();
}

/** Draws the others, some at a time. */
function rest(): void {
  if (waiting.size === 0) tell();
  else if (!resting) {
    resting = true;
    setTimeout(slice, 0);
  }
}

function slice(): void {
  resting = false;
  const start = performance.now();
  for (const turn of waiting) {
    turn.take();
    // A hidden page has no reader to answer, and browsers give it little time: it draws without a pause.
    if (!document.hidden && performance.now() - start >= SLICE_MS) break;
  }
  rest();
}

function takeAll(): void {
  for (const turn of waiting) turn.take();
  rest();
}

function tell(): void {
  for (const listener of listeners) listener();
  listeners.clear();
}

/** Resolves as soon as no chart waits to be drawn, wherever it is. */
export async function allDrawn(): Promise<void> {
  if (waiting.size === 0) return;
  await new Promise<void>((done) => { listeners.add(done); });
}
