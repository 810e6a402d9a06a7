// The list of plots: each in a card that can be folded; those in sight follow the time.
import { choice, el } from "../dom";
import { documentCard, runCards, type Card } from "../plot/catalog";
import { Plot, type PlotHost } from "../plot/plot";
import type { State } from "../state";
import { cut } from "../text";

export class PlotList {
  readonly element = el("div", { class: "cards" });
  private plots: Plot[] = [];
  private readonly closed = new Set<string>();
  private readonly opened = new Set<string>();

  constructor(
    private readonly state: State,
    private readonly host: PlotHost,
  ) {
    this.build();
    state.on("motion", () => this.build());
    state.on("overlays", () => this.plots.forEach((plot) => plot.rebuild()));
    state.on("theme", () => this.plots.forEach((plot) => plot.refresh()));
  }

  get empty(): boolean {
    return this.plots.length === 0;
  }

  setTime(time: number, withNumbers: boolean): void {
    // Where nothing moves there is no cursor.
    const at = this.state.clock.still ? NaN : time;
    for (const plot of this.plots) plot.setTime(at, withNumbers);
  }

  private build(): void {
    const own = this.state.report.plots.map((plot, i) => documentCard(plot, `document ${i}`));
    const fromRun = this.state.clock.still ? [] : runCards(this.state.report, this.state.compared);
    // A report that brings plots of its own is about those.
    const cards = this.state.report.kind === "run" ? [...fromRun, ...own] : [...own, ...fromRun];
    this.plots = [];
    this.element.replaceChildren(...cards.map((card, i) => this.show(card, i < 4)));
    this.setTime(this.state.clock.time, true);
  }

  private show(card: Card, firstOpen: boolean): HTMLElement {
    const plot = new Plot(card.spec, this.host);
    this.plots.push(plot);
    // Plots of the report name their ordinate in words, on a line of its own.
    const own = card.key.startsWith("document");
    const unit = own || card.spec.unit === "" ? "" : `, ${cut(card.spec.unit, 20)}`;
    const words = el("span", { class: "card-title" }, cut(card.spec.title, 70) + unit);
    const title = el("summary", { title: card.spec.title.slice(0, 400) }, words);
    const body = el("div", { class: "card-body" });
    if (card.options.length > 0) {
      const select = choice(`Shown in ${card.spec.title}`, card.options, 0, (i) => {
        card.choose(i);
        plot.rebuild();
      });
      select.classList.add("card-choice");
      body.append(select);
    }
    if (own && card.spec.unit !== "") body.append(el("div", { class: "y-label" }, cut(card.spec.unit, 80)));
    body.append(plot.element);
    const details = el("details", { class: "card", "data-plot": card.key }, title, body);
    details.open = this.opened.has(card.key) || (firstOpen && !this.closed.has(card.key));
    details.addEventListener("toggle", () => {
      (details.open ? this.opened : this.closed).add(card.key);
      (details.open ? this.closed : this.opened).delete(card.key);
    });
    return details;
  }
}
