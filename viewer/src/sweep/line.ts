// Mean and range of a record along a parameter; one line for each value of another parameter where that is asked for.
import { el } from "../dom";
import { cut, number } from "../text";
import { BinnedChart } from "./binned";
import { binOf, makeBins, rangesIn, type Ranges } from "./bins";
import { grouped, type Place } from "./chart";
import type { Bins } from "./data";
import type { Table } from "./table";
import { spanOfValues } from "./xy";

const mostLines = 8;

interface Line {
  name: string;
  ranges: Ranges;
}

export class LineChart extends BinnedChart {
  private xColumn: number;
  private yColumn: number;
  private splitColumn = NaN;
  private lines: Line[] = [];
  private readonly legend = el("div", { class: "legend" });

  constructor(table: Table) {
    super(table, "line", "Mean and range", "Left and right go from bin to bin, plus and minus zoom, Escape shows all.");
    const all = [...table.columns.keys()];
    const parameters = all.filter((c) => table.columns[c].parameter);
    const records = all.filter((c) => !table.columns[c].parameter);
    this.xColumn = table.varying(true)[0] ?? 0;
    this.yColumn = table.varying(false)[0] ?? table.varying(true)[1] ?? 0;
    const [xs, ys] = [parameters.length > 0 ? parameters : all, records.length > 0 ? records : all];
    this.columnChoice("y", ys, this.yColumn, (column) => {
      this.yColumn = column;
      this.setColumn("y", column);
    });
    this.columnChoice("x", xs, this.xColumn, (column) => {
      this.xColumn = column;
      this.setColumn("x", column);
    });
    const few = xs.filter((c) => table.columns[c].distinct > 1 && table.columns[c].distinct <= mostLines);
    if (few.length > 0 && xs.length > 1) {
      this.columnChoice("a line for each", few, NaN, (column) => {
        this.splitColumn = column;
        this.unzoom();
      }, "–");
    }
    this.logChoice("x");
    this.logChoice("y");
    this.setColumn("x", this.xColumn);
    this.setColumn("y", this.yColumn);
    this.area.after(this.legend);
  }

  protected paint(pen: CanvasRenderingContext2D): void {
    const { table } = this;
    this.count();
    const y = spanOfValues(this.lines.flatMap(({ ranges }) => [ranges.low, ranges.high]), this.log.y);
    const x = this.bins ? spanOfValues([this.bins.centers], this.log.x) : table.range(this.xColumn);
    const ink = this.layAxes(pen, x, y, { x: 0.03, top: 0.06, bottom: 0.06 }, 0, false);
    this.drawAxes(pen, table.name(this.xColumn), table.name(this.yColumn), ink);
    this.clip(pen, () => {
      this.lines.forEach(({ ranges }, i) => this.paintLine(pen, ranges, ink.line(i)));
    });
    this.legend.replaceChildren(...(this.lines.length > 1 ? this.lines.map((line, i) => this.entry(line.name, ink.line(i))) : []));
    const source = table.sweep.complete ? "" : table.binned && Number.isNaN(this.splitColumn) ? ` of all ${grouped(table.sweep.rows)} runs` : "";
    this.sayAtRest(`Line: mean${source}; band: least to most.`);
  }

  protected override paintOver(pen: CanvasRenderingContext2D): void {
    if (this.focus < 0 || !this.bins) return;
    const x = this.x.pixel(this.bins.centers[this.focus]);
    const { left, right, top, bottom } = this.frame;
    if (!(x >= left - 1 && x <= right + 1)) return;
    pen.fillStyle = this.ink().muted;
    pen.globalAlpha = 0.6;
    pen.fillRect(x - 0.5, top, 1, bottom - top);
  }

  protected point(at: Place | null): string {
    const found = at && this.bins ? this.nearestBin(at.x) : -1;
    return this.go(found);
  }

  protected override click(at: Place): void {
    if (!this.bins) return;
    // The run in this bin whose value is nearest to the pointer.
    const { table } = this;
    const bin = this.nearestBin(at.x);
    const [xs, ys] = [table.values(this.xColumn), table.values(this.yColumn)];
    let best = -1;
    let least = Infinity;
    for (let row = 0; row < table.rows; row++) {
      if (!table.counts(row) || binOf(this.bins, xs[row]) !== bin) continue;
      const far = Math.abs(this.y.pixel(ys[row]) - at.y);
      if (far < least) [least, best] = [far, row];
    }
    if (best >= 0) table.select(best);
  }

  protected binText(bins: Bins, bin: number): string {
    const words = [this.binWords(bins, bin, this.xColumn)];
    for (const { name, ranges } of this.lines) {
      const value = Number.isNaN(ranges.mean[bin]) ? "no value" : `mean ${number(ranges.mean[bin])}, ${number(ranges.low[bin], 3)} … ${number(ranges.high[bin], 3)}`;
      words.push(this.lines.length > 1 ? `${cut(name, 24)}: ${number(ranges.mean[bin])}` : value);
    }
    if (this.lines.length === 1 && !Number.isNaN(this.lines[0].ranges.count[bin])) words.push(`${grouped(this.lines[0].ranges.count[bin])} runs`);
    return words.join(" · ");
  }

  private nearestBin(x: number): number {
    let best = -1;
    let least = Infinity;
    for (let i = 0; this.bins && i < this.bins.centers.length; i++) {
      const far = Math.abs(this.x.pixel(this.bins.centers[i]) - x);
      if (far < least) [least, best] = [far, i];
    }
    return best;
  }

  private count(): void {
    const { table } = this;
    const split = Number.isNaN(this.splitColumn) || this.splitColumn === this.xColumn ? -1 : this.splitColumn;
    const stored = table.binned ? this.stored(split) : null;
    if (stored) {
      this.bins = table.columns[this.xColumn].bins;
      this.lines = stored;
      return;
    }
    const [x, y] = [table.values(this.xColumn), table.values(this.yColumn)];
    const most = Math.min(60, Math.max(8, Math.round(Math.sqrt(table.shownCount))));
    const single = table.varying(true).length <= 1;
    this.bins = makeBins(x, table.counts, { log: this.log.x, most, values: 200, single });
    this.lines = [];
    if (!this.bins) return;
    if (split < 0) {
      this.lines = [{ name: "", ranges: rangesIn(this.bins, x, y, table.counts) }];
      return;
    }
    const by = table.values(split);
    const groups = makeBins(by, table.counts, { log: false, most: mostLines, values: mostLines, single: true });
    for (let i = 0; groups && i < groups.centers.length; i++) {
      const use = (row: number) => table.counts(row) && binOf(groups, by[row]) === i;
      this.lines.push({ name: this.splitName(groups, i), ranges: rangesIn(this.bins, x, y, use) });
    }
  }

  // From what was counted over the whole table; null where it was not.
  private stored(split: number): Line[] | null {
    const { sweep, columns } = this.table;
    const [low, high] = this.table.range(this.yColumn);
    const value = (part: number) => low * (1 - part) + high * part;
    if (split < 0) {
      const pair = sweep.pairs.find(({ x, y }) => x === this.xColumn && y === this.yColumn);
      if (!pair) return null;
      const column = (k: number) => pair.range.column(k).map(value);
      const [nx, ny] = pair.counts.shape;
      const count = Float64Array.from({ length: nx }, (_, i) => {
        let sum = 0;
        for (let j = 0; j < ny; j++) sum += pair.counts.get(i, j);
        return sum;
      });
      return [{ name: "", ranges: { count, mean: column(0), low: column(1), high: column(2) } }];
    }
    const cells = sweep.cells.find(({ x, y }) => (x === this.xColumn && y === split) || (y === this.xColumn && x === split));
    const means = cells?.records.find(({ z }) => z === this.yColumn)?.mean;
    const groups = columns[split].bins;
    if (!cells || !means || !groups) return null;
    return Array.from(groups.centers, (_, k) => {
      const size = columns[this.xColumn].bins!.centers.length;
      const mean = Float64Array.from({ length: size }, (_, i) => value(cells.x === split ? means.get(k, i) : means.get(i, k)));
      return { name: this.splitName(groups, k), ranges: { count: mean.map(() => NaN), mean, low: mean, high: mean } };
    });
  }

  private splitName(groups: Bins, index: number): string {
    return `${cut(this.table.name(this.splitColumn), 24)} ${number(groups.centers[index])}`;
  }

  private entry(name: string, color: string): HTMLElement {
    const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.color = color;
    return el("span", { class: "entry" }, swatch, name);
  }

  private paintLine(pen: CanvasRenderingContext2D, ranges: Ranges, color: string): void {
    const bins = this.bins!;
    const filled: number[] = [];
    for (let i = 0; i < bins.centers.length; i++) if (Number.isFinite(this.y.pixel(ranges.mean[i]))) filled.push(i);
    const x = (i: number) => this.x.pixel(bins.centers[i]);
    pen.fillStyle = pen.strokeStyle = color;
    pen.globalAlpha = this.lines.length > 1 ? 0.1 : 0.2;
    pen.beginPath();
    for (const i of filled) pen.lineTo(x(i), this.clampY(ranges.low[i]));
    for (const i of [...filled].reverse()) pen.lineTo(x(i), this.clampY(ranges.high[i]));
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.beginPath();
    for (const i of filled) pen.lineTo(x(i), this.y.pixel(ranges.mean[i]));
    pen.stroke();
    if (filled.length > 40) return;
    for (const i of filled) {
      pen.beginPath();
      pen.arc(x(i), this.y.pixel(ranges.mean[i]), 3, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  // On a logarithmic axis what is not positive lies at its lower end.
  private clampY(value: number): number {
    return this.y.log && !(value > this.y.low) ? this.y.from : this.y.pixel(value);
  }
}
