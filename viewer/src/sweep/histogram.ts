// How often the values of a column occur.
import { binOf, countIn, makeBins } from "./bins";
import { BinnedChart } from "./binned";
import { grouped, type Place } from "./chart";
import type { Bins } from "./data";
import type { Table } from "./table";
import { spanOfValues } from "./xy";

export class Histogram extends BinnedChart {
  private column: number;
  private counts: ArrayLike<number> = [];

  constructor(table: Table) {
    super(table, "histogram", "Histogram", "Left and right go from bar to bar, plus and minus zoom, Escape shows all.");
    const all = [...table.columns.keys()];
    this.column = table.varying(false)[0] ?? table.varying(true)[0] ?? 0;
    this.columnChoice("of", all, this.column, (column) => {
      this.column = column;
      this.setColumn("x", column);
    });
    this.logChoice("x");
    this.setColumn("x", this.column);
  }

  protected paint(pen: CanvasRenderingContext2D): void {
    const { table } = this;
    this.count();
    const most = spanOfValues([this.counts], false)[1];
    const x = this.bins ? spanOfValues([this.bins.edges], this.log.x) : table.range(this.column);
    const ink = this.layAxes(pen, x, [0, most > 0 ? most : 1], { x: 0.02, top: 0.06, bottom: 0 }, 0, false);
    this.drawAxes(pen, table.name(this.column), "runs", ink);
    this.clip(pen, () => {
      pen.fillStyle = ink.line(0);
      for (let i = 0; this.bins && i < this.counts.length; i++) this.bar(pen, i);
    });
    let sum = 0;
    for (let i = 0; i < this.counts.length; i++) sum += this.counts[i];
    const drawn = table.sweep.complete || table.binned ? "" : " drawn at random";
    this.sayAtRest(`${grouped(sum)} runs${drawn} with this value.`);
  }

  protected override paintOver(pen: CanvasRenderingContext2D): void {
    const { bins, focus } = this;
    const span = bins && focus >= 0 ? this.extent(this.x, bins, focus) : null;
    if (!span) return;
    pen.fillStyle = this.ink().text;
    pen.globalAlpha = 0.12;
    pen.fillRect(span[0], this.frame.top, span[1] - span[0], this.frame.bottom - this.frame.top);
  }

  protected point(at: Place | null): string {
    return this.go(at && this.bins ? binOf(this.bins, this.x.value(at.x)) : -1);
  }

  protected binText(bins: Bins, bin: number): string {
    return `${this.binWords(bins, bin, this.column)} · ${grouped(this.counts[bin])} runs`;
  }

  private bar(pen: CanvasRenderingContext2D, index: number): void {
    const span = this.extent(this.x, this.bins!, index);
    if (!span || this.counts[index] === 0) return;
    const [from, to] = span;
    const gap = to - from > 8 ? 1.5 : to - from > 3 ? 0.5 : 0;
    // At least a line, so that a single run among many is seen.
    const top = Math.min(this.y.pixel(this.counts[index]), this.frame.bottom - 1);
    pen.fillRect(from + gap, top, Math.max(0.8, to - from - 2 * gap), this.frame.bottom - top);
  }

  private count(): void {
    const { table } = this;
    const column = table.columns[this.column];
    if (table.binned && column?.bins && column.counts) {
      this.bins = column.bins;
      this.counts = column.counts.data;
      return;
    }
    this.counts = [];
    this.bins = null;
    if (!column) return;
    const values = table.values(this.column);
    const most = Math.min(60, Math.max(8, Math.round(2 * Math.cbrt(table.shownCount))));
    this.bins = makeBins(values, table.counts, { log: this.log.x, most, values: 100 });
    if (this.bins) this.counts = countIn(this.bins, values, table.counts);
  }
}
