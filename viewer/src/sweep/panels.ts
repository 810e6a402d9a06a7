// Beside the plots of a sweep: the selected run, why runs were lost, what the columns span.
import { button, el } from "../dom";
import { cut, number } from "../text";
import { grouped } from "./chart";
import { statusNames } from "./data";
import type { Table } from "./table";

// The values of one run. It is chosen in a plot, by its number, or by going on from another.
export class RunPanel {
  readonly element = el("section", { class: "side-card run-card" });
  private readonly number = el("input", { type: "number", step: 1, min: 0, "aria-label": "Number of a run" });
  private readonly body = el("div", { class: "run-body", "aria-live": "polite" });

  constructor(private readonly table: Table) {
    const go = el("form", { class: "run-choice" });
    const step = (by: number) => () => {
      const { rows, selected } = table;
      if (rows > 0) table.select(selected < 0 ? (by > 0 ? 0 : rows - 1) : (selected + by + rows) % rows);
    };
    go.append(
      el("h2", {}, "Run"),
      button("‹", step(-1), { "aria-label": "Run before", title: "Run before" }),
      this.number,
      button("›", step(1), { "aria-label": "Next run", title: "Next run" }),
      el("button", { type: "submit" }, "Show"),
    );
    go.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.number.value.trim() !== "") this.find(Number(this.number.value));
    });
    this.element.append(go, this.body);
    table.on("selection", () => this.show());
    this.show();
  }

  // A run by its number; where it is not here, the nearest, and words about it.
  find(run: number): void {
    const { table } = this;
    const row = table.rowOf(run);
    if (row < 0) return;
    table.select(row);
    if (table.sweep.run.data[row] === run) return;
    const why = table.sweep.complete ? "There is no such run" : "This run is not among those that the page holds";
    this.body.prepend(el("p", { class: "hint" }, `${why}; the nearest is shown.`));
  }

  private show(): void {
    const { table } = this;
    const { sweep, selected } = table;
    if (selected < 0) {
      const some = sweep.complete ? "" : ` Of ${grouped(sweep.rows)} runs the page holds ${grouped(table.rows)}, drawn at random; table.csv has all.`;
      this.body.replaceChildren(el("p", { class: "hint" }, `Click a point, a line or a cell, or type a number.${some}`));
      return;
    }
    const run = sweep.run.data[selected];
    const status = sweep.status.data[selected];
    this.number.value = String(run);
    const head = el("div", { class: "run-head" }, el("h3", {}, `Run ${run}`), badge(status));
    this.body.replaceChildren(head);
    const reason = table.reason(selected);
    if (reason) this.body.append(el("p", { class: "reason" }, cut(reason, 400)));
    if (sweep.links) {
      const address = `runs/${String(run).padStart(6, "0")}/report.html`;
      this.body.append(el("p", {}, el("a", { href: address, class: "run-link" }, "Open its report")));
    }
    this.body.append(this.values("Parameters", true), this.values("Records", false));
  }

  private values(title: string, parameter: boolean): HTMLElement {
    const body = el("tbody");
    this.table.columns.forEach((column, c) => {
      if (column.parameter !== parameter) return;
      const value = this.table.values(c)[this.table.selected];
      const name = el("th", { scope: "row", title: column.name.slice(0, 400) }, cut(this.table.name(c), 48));
      body.append(el("tr", {}, name, el("td", { title: String(value) }, number(value, 7))));
    });
    if (body.childElementCount === 0) return el("div");
    return el("div", { class: "table-card" }, el("h4", {}, title), el("table", { class: "values" }, body));
  }
}

export function badge(status: number): HTMLElement {
  const mark = status === 0 ? "✓ " : status === 3 ? "◼ " : "✕ ";
  return el("span", { class: `badge ${statusNames[status]}` }, mark + statusNames[status]);
}

// Reasons with how often they occurred; each leads to its first run.
export function failurePanel(table: Table, find: (run: number) => void): HTMLElement[] {
  const { failures, otherFailures } = table.sweep;
  if (failures.length === 0) return [];
  const list = el("ul", { class: "failures" });
  for (const failure of failures) {
    const words = failure.reason === "" ? "no reason given" : cut(failure.reason, 240);
    const entry = el(
      "button",
      { type: "button", class: "failure-entry", title: `Show run ${failure.run}` },
      el("span", { class: "failure-count" }, grouped(failure.count)),
      el("span", { class: "failure-words" }, words, failure.alike ? el("em", {}, " (and with other numbers)") : ""),
      badge(failure.status),
    );
    entry.addEventListener("click", () => find(failure.run));
    list.append(el("li", {}, entry));
  }
  const more = otherFailures > 0 ? [el("p", { class: "hint" }, `${grouped(otherFailures)} runs more, with other reasons.`)] : [];
  return [el("section", { class: "side-card" }, el("h2", {}, "Runs that were lost or stopped"), list, ...more)];
}

export function columnPanel(table: Table): HTMLElement {
  const grid = el("table", { class: "data" });
  for (const [title, parameter] of [["Parameters", true], ["Records", false]] as const) {
    const body = el("tbody");
    table.columns.forEach((column, c) => {
      if (column.parameter !== parameter) return;
      // What rounding leaves of a mean of nothing is nothing.
      const mean = Math.abs(column.mean) < 1e-12 * (column.high - column.low) ? 0 : column.mean;
      const cells = [column.low, mean, column.high].map((value) => el("td", { class: "number", title: String(value) }, number(value, 3)));
      body.append(el("tr", {}, el("th", { scope: "row", title: column.name.slice(0, 400) }, cut(table.name(c), 40)), ...cells));
    });
    if (body.childElementCount === 0) continue;
    const head = [title, "least", "mean", "most"].map((name) => el("th", { scope: "col" }, name));
    grid.append(el("thead", {}, el("tr", {}, ...head)), body);
  }
  const scroll = el("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Columns" }, grid);
  return el("section", { class: "side-card" }, el("h2", {}, "Columns"), scroll);
}
