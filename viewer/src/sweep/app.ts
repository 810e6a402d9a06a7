// The page of a sweep: plots of any column against any other, the runs behind them, and those that were lost.
import type { Report } from "../document";
import { el, iconButton } from "../dom";
import { listenForKeys } from "../keys";
import { cut } from "../text";
import { followTheme, toggleTheme } from "../theme";
import { helpDialog } from "../ui/help";
import { warningStrip } from "../ui/warnings";
import type { Chart, Place } from "./chart";
import { grouped } from "./chart";
import { statusNames, type Sweep } from "./data";
import { FilterBar } from "./filters";
import { firstParameters, HeatMap } from "./heat";
import { Histogram } from "./histogram";
import { LineChart } from "./line";
import { columnPanel, failurePanel, RunPanel } from "./panels";
import { Parallel } from "./parallel";
import { Scatter } from "./scatter";
import { Table } from "./table";

export class SweepApp {
  private readonly table: Table;
  private readonly scatter: Scatter;

  constructor(report: Report, sweep: Sweep, root: HTMLElement) {
    const table = (this.table = new Table(sweep));
    this.scatter = new Scatter(table);
    const runs = new RunPanel(table);
    const help = helpDialog(keys, pointer);
    const plots = el("div", { class: "charts" });
    if (table.columns.length > 0) {
      plots.append(...this.charts().map((chart) => chart.element), this.across());
    } else {
      plots.append(el("p", { class: "empty" }, "This sweep has neither parameters nor records."));
    }
    const side = el(
      "aside",
      { class: "sweep-side", "aria-label": "Runs and columns" },
      runs.element,
      ...failurePanel(table, (run) => runs.find(run)),
      columnPanel(table),
      el("p", { class: "generator" }, report.generator ? `Written by ${cut(report.generator, 60)}` : ""),
    );
    const main = el("main", { class: "sweep" }, plots, side);
    root.replaceChildren(this.header(report, help), ...warningStrip(report.warnings), counts(sweep), main, help);
    followTheme(table);
    listenForKeys({
      t: () => toggleTheme(table),
      "?": () => help.showModal(),
      Escape: () => table.select(-1),
    });
  }

  // Where a run stands in the scatter plot, in pixels of the page.
  point(run: number): Place | null {
    const row = this.table.rowOf(run);
    return row >= 0 && this.table.sweep.run.data[row] === run ? this.scatter.placeOf(row) : null;
  }

  selected(): number | null {
    return this.table.selected < 0 ? null : this.table.sweep.run.data[this.table.selected];
  }

  // Where two parameters have few values the heat map comes first: it shows all there is.
  private charts(): Chart[] {
    const first = firstParameters(this.table);
    const heat = first ? [new HeatMap(this.table, first)] : [];
    const rest = [this.scatter, new LineChart(this.table)];
    return [...(first?.few ? [...heat, ...rest] : [...rest, ...heat]), new Histogram(this.table)];
  }

  private across(): HTMLElement {
    const parallel = new Parallel(this.table);
    parallel.element.append(new FilterBar(this.table).element);
    return parallel.element;
  }

  private header(report: Report, help: HTMLDialogElement): HTMLElement {
    document.title = cut(report.title, 120);
    return el(
      "header",
      { class: "head" },
      el(
        "div",
        { class: "titles" },
        el("h1", { title: report.title.slice(0, 10000) }, cut(report.title, 120)),
        el("p", { title: report.subtitle.slice(0, 10000) }, cut(report.subtitle, 200)),
      ),
      el(
        "div",
        { class: "tools" },
        iconButton("keys", "Keys and help", () => help.showModal()),
        iconButton("moon", "Light or dark theme", () => toggleTheme(this.table)),
      ),
    );
  }
}

// How many runs there are, and how they ended.
function counts(sweep: Sweep): HTMLElement {
  const strip = el("div", { class: "counts" });
  const entry = (count: number, words: string, kind: string) =>
    strip.append(el("span", { class: `count ${kind}` }, el("strong", {}, grouped(count)), ` ${words}`));
  entry(sweep.rows, sweep.rows < sweep.planned ? `of ${grouped(sweep.planned)} runs so far` : sweep.rows === 1 ? "run" : "runs", "all");
  sweep.counts.forEach((count, status) => {
    if (count > 0) entry(count, statusNames[status], statusNames[status]);
  });
  const parameters = sweep.columns.filter((column) => column.parameter).length;
  entry(parameters, parameters === 1 ? "parameter" : "parameters", "plain");
  entry(sweep.columns.length - parameters, sweep.columns.length - parameters === 1 ? "record" : "records", "plain");
  return strip;
}

const keys: [string, string][] = [
  ["Arrow keys", "in a plot: from run to run, bar to bar, cell to cell"],
  ["+ −", "in a plot: zoom"],
  ["Esc", "in a plot: show all; elsewhere: clear the selection"],
  ["T", "light or dark"],
  ["?", "this list"],
];
const pointer: [string, string][] = [
  ["Click", "a point, a line or a cell: the run behind it"],
  ["Drag", "in a plot: zoom in; double click: show all"],
  ["Drag along an axis", "in the parallel coordinates: only these runs, in all plots; click: all again"],
];
