// The sequence diagram of a loss, with the buttons that go from one loss to the next.

import { Cancelled, type Engine, type Job, type Packets } from "../engine/api";
import { button } from "../page/dom";
import { withUnit } from "../page/number";
import { element } from "./dom";
import { table } from "../page/table";
import { arrows, type PacketLog } from "./flight";
import { around, arrowWords, drawLadder, losses, packetTable, sampled, within } from "./ladder";
import { roundTrip, type NetworkView } from "./network";
import type { RunOfPackets } from "./packet-parts";
import { packetLog } from "./packets";

/** Passages of packets that a diagram looks at. */
const PASSAGES = 60_000;

/** The diagram on the page. */
export class Sequence {
  readonly element: HTMLElement;
  private readonly place = element("div", { class: "ladder-place" });
  private readonly words = element("p", { class: "notes", role: "status" });
  private run: RunOfPackets | undefined;
  private network: NetworkView | undefined;
  /** The moments of losses of the flow, in seconds. */
  private moments: readonly number[] = [];
  private at = -1;
  private job: Job<Packets> | undefined;

  /** `go` is called with the moment of the loss that is shown. */
  constructor(
    private readonly engine: Engine,
    private readonly go: (time: number) => void,
  ) {
    const step = (label: string, by: number): HTMLButtonElement =>
      button(label, () => {
        void this.choose(this.at + by);
      }, { class: "press" });
    this.element = element(
      "details",
      {
        class: "sequence",
        toggle: () => {
          if (this.isOpen && this.place.childElementCount === 0) void this.choose(Math.max(0, this.at));
        },
      },
      element("summary", {}, "Sequence diagram around a loss"),
      element("div", { class: "tools" }, step("Loss before", -1), step("Next loss", 1)),
      this.words,
      this.place,
    );
  }

  private get isOpen(): boolean {
    return this.element.hasAttribute("open");
  }

  /** Another run, and the moments at which the flow lost data. */
  setRun(run: RunOfPackets | undefined, network: NetworkView | undefined, moments: readonly number[]): void {
    const before = this.run;
    const same = run && run.experiment === before?.experiment && run.point === before.point && run.seed === before.seed;
    // Results of the other experiment do not lead a reader back to the first loss.
    if (same && network === this.network) return;
    this.job?.cancel();
    this.job = undefined;
    this.words.textContent = "";
    this.run = run;
    this.network = network;
    // Losses within a round trip of each other are one event.
    const apart = network ? 2 * roundTrip(network) : 0;
    this.moments = moments.filter((moment, i) => i === 0 || moment - (moments[i - 1] ?? 0) > apart);
    this.at = -1;
    this.place.replaceChildren();
    if (this.isOpen) void this.choose(0);
  }

  private async choose(number: number): Promise<void> {
    const { run, network } = this;
    const moment = this.moments[number];
    if (!run || !network) return;
    if (moment === undefined) {
      if (this.moments.length === 0) this.words.textContent = "The first flow loses nothing in this run.";
      return;
    }
    this.at = number;
    this.job?.cancel();
    const rtt = Math.max(roundTrip(network), 1e-3);
    // A packet that is dropped at the front of a queue was sent some time before.
    const from = Math.max(0, moment - 3 * rtt);
    const until = Math.min(run.end, moment + 6 * rtt);
    const { experiment, point, seed } = run;
    const job = this.engine.packets(experiment, { point, seed, from_s: from, until_s: until, most: PASSAGES });
    this.job = job;
    try {
      const packets = await job.result;
      // Another loss, or another run, may have come between the answer and its reader.
      if (this.job !== job) return;
      const log = packetLog(packets, network, from, until);
      this.show(log, network, moment, packets.cut ? log.to : undefined);
    } catch (error) {
      if (error instanceof Cancelled || this.job !== job) return;
      this.words.textContent = error instanceof Error ? error.message : String(error);
      this.place.replaceChildren();
    }
  }

  /** Shows the loss of a moment; `cut` is the time from which on there were too many packets to look at. */
  private show(log: PacketLog, network: NetworkView, moment: number, cut: number | undefined): void {
    const all = arrows(log, network, 0);
    const lost = losses(all).sort((a, b) => Math.abs((a.ended ?? a.sent) - moment) - Math.abs((b.ended ?? b.sent) - moment));
    const [first] = lost;
    if (!first) {
      const at = withUnit(moment.toFixed(3), "s");
      this.words.textContent =
        cut === undefined
          ? `No data of the first flow was lost at ${at}.`
          : `The loss at ${at} has no diagram: there are too many packets on this path around it.`;
      this.place.replaceChildren();
      return;
    }
    const span = around(all, first);
    const shown = within(all, span);
    const { arrows: some, every } = sampled(shown, first);
    // Where several flows meet it is said whose loss this is.
    const whose = network.flows.length > 1 ? ` in ${network.flows[0]?.name ?? ""}` : "";
    this.words.textContent =
      `Loss ${this.at + 1} of ${this.moments.length}${whose}: ${arrowWords(first)}, at ${withUnit(first.sent.toFixed(4), "s")}. ` +
      "Data leads to the right, ACKs to the left; a dashed ACK acknowledges nothing new." +
      (every > 1 ? ` One packet in ${every} is drawn, and the lost segment each time that it is sent.` : "") +
      (cut !== undefined && cut < span.to ? ` There were too many packets to look at those after ${withUnit(cut.toFixed(4), "s")}.` : "");
    const behind = element("details", { class: "behind" }, element("summary", {}, "The packets"));
    behind.append(table(packetTable(log, network, span)));
    this.place.replaceChildren(drawLadder(some, first, span, Math.max(420, 12 * some.length)), behind);
    this.go(first.sent);
  }
}
