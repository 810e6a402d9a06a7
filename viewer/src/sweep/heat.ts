// Heat map: the mean of a record in the cells of two parameters.
import { css, forceColor } from "../colors";
import { Axis } from "../plot/axes";
import { cut, number } from "../text";
import { binOf, makeBins, meansIn } from "./bins";
import { grouped, type Place } from "./chart";
import type { Bins } from "./data";
import type { Table } from "./table";
import { spanOfValues, XYChart } from "./xy";

const fewValues = 60;

// Two parameters that vary, those with few different values first; null where there are none.
export function firstParameters(table: Table): { x: number; y: number; few: boolean } | null {
  const varying = table.varying(true).filter((c) => table.columns[c].high > table.columns[c].low);
  const few = varying.filter((c) => table.columns[c].distinct <= fewValues);
  const pair = few.length > 1 ? few : varying;
  return pair.length > 1 ? { x: pair[0], y: pair[1], few: few.length > 1 } : null;
}

export class HeatMap extends XYChart {
  private xColumn: number;
  private yColumn: number;
  private zColumn: number;
  private binsX: Bins | null = null;
  private binsY: Bins | null = null;
  private mean: ArrayLike<number> = [];
  private counts: ArrayLike<number> | null = null;
  private focus: [number, number] | null = null;

  constructor(table: Table, first: { x: number; y: number }) {
    super(table, "heat", "Heat map", "Arrow keys go from cell to cell, plus and minus zoom, Escape shows all.");
    const all = [...table.columns.keys()];
    const records = all.filter((c) => !table.columns[c].parameter);
    const parameters = all.filter((c) => table.columns[c].parameter);
    this.xColumn = first.x;
    this.yColumn = first.y;
    this.zColumn = table.varying(false)[0] ?? first.x;
    this.columnChoice("mean of", records.length > 0 ? records : all, this.zColumn, (column) => {
      this.zColumn = column;
      this.refresh();
    });
    this.columnChoice("y", parameters, this.yColumn, (column) => {
      this.yColumn = column;
      this.setColumn("y", column);
    });
    this.columnChoice("x", parameters, this.xColumn, (column) => {
      this.xColumn = column;
      this.setColumn("x", column);
    });
    this.logChoice("x");
    this.logChoice("y");
    this.setColumn("x", this.xColumn);
    this.setColumn("y", this.yColumn);
  }

  protected paint(pen: CanvasRenderingContext2D): void {
    const { table } = this;
    const all = this.count();
    const span = (bins: Bins | null, column: number, log: boolean) => (bins ? spanOfValues([bins.edges], log) : table.range(column));
    const spans = [span(this.binsX, this.xColumn, this.log.x), span(this.binsY, this.yColumn, this.log.y)];
    const ink = this.layAxes(pen, spans[0], spans[1], { x: 0, top: 0, bottom: 0 }, 78, false);
    this.drawAxes(pen, table.name(this.xColumn), table.name(this.yColumn), ink);
    const scale = this.colorAxis();
    this.clip(pen, () => this.paintCells(pen, scale, ink.line(1)));
    pen.font = "11px system-ui, sans-serif";
    this.ramp(pen, scale, table.name(this.zColumn), ink);
    const source = all ? `all ${grouped(table.sweep.rows)} runs` : `${grouped(table.shownCount)} runs`;
    const crosses = table.sweep.counts[1] + table.sweep.counts[2] > 0 ? "; a cross: all were lost" : "";
    this.sayAtRest(`Mean of ${source}${crosses}.`);
  }

  protected override paintOver(pen: CanvasRenderingContext2D): void {
    if (!this.focus || !this.binsX || !this.binsY) return;
    const [h, v] = [this.extent(this.x, this.binsX, this.focus[0]), this.extent(this.y, this.binsY, this.focus[1])];
    if (!h || !v) return;
    pen.strokeStyle = this.ink().text;
    pen.lineWidth = 1.8;
    pen.strokeRect(h[0] + 0.5, v[0] + 0.5, h[1] - h[0] - 1, v[1] - v[0] - 1);
  }

  protected point(at: Place | null): string {
    return this.go(at ? this.cellAt(at) : null);
  }

  // The run in the cell that lies nearest to the pointer.
  protected override click(at: Place): void {
    const cell = this.cellAt(at);
    if (!cell || !this.binsX || !this.binsY) return;
    const { table } = this;
    const [xs, ys] = [table.values(this.xColumn), table.values(this.yColumn)];
    let best = -1;
    let least = Infinity;
    for (let row = 0; row < table.rows; row++) {
      if (table.shown[row] === 0 || binOf(this.binsX, xs[row]) !== cell[0] || binOf(this.binsY, ys[row]) !== cell[1]) continue;
      const far = (this.x.pixel(xs[row]) - at.x) ** 2 + (this.y.pixel(ys[row]) - at.y) ** 2;
      if (far < least) [least, best] = [far, row];
    }
    if (best >= 0) table.select(best);
  }

  protected override keyed(event: KeyboardEvent): boolean {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by || !this.binsX || !this.binsY) return this.zoomKey(event.key);
    const [nx, ny] = [this.binsX.centers.length, this.binsY.centers.length];
    const [i, j] = this.focus ?? [by[0] < 0 ? 0 : -by[0], by[1] < 0 ? 0 : -by[1]];
    this.say(this.go([(i + by[0] + nx) % nx, (j + by[1] + ny) % ny]));
    return true;
  }

  private go(cell: [number, number] | null): string {
    if (cell?.[0] !== this.focus?.[0] || cell?.[1] !== this.focus?.[1]) {
      this.focus = cell;
      this.refreshOver();
    }
    if (!cell || !this.binsX || !this.binsY) return "";
    const { table } = this;
    const at = cell[0] * this.binsY.centers.length + cell[1];
    const mean = this.mean[at];
    const words = [this.binWords(this.binsX, cell[0], this.xColumn), this.binWords(this.binsY, cell[1], this.yColumn)];
    words.push(Number.isNaN(mean) ? "no value" : `mean ${cut(table.name(this.zColumn), 40)} ${number(mean)}`);
    if (this.counts) words.push(`${grouped(this.counts[at])} runs`);
    return words.join(" · ");
  }

  private cellAt(at: Place): [number, number] | null {
    const { left, right, top, bottom } = this.frame;
    if (!this.binsX || !this.binsY || at.x < left || at.x > right || at.y < top || at.y > bottom) return null;
    const [i, j] = [binOf(this.binsX, this.x.value(at.x)), binOf(this.binsY, this.y.value(at.y))];
    return i < 0 || j < 0 ? null : [i, j];
  }

  private colorAxis(): Axis {
    const [low, high] = spanOfValues([this.mean], false);
    const axis = new Axis(this.table.isLog(this.zColumn) && low > 0);
    axis.setSpan(low, high, 0);
    return axis;
  }

  // True where everything was counted over the whole table.
  private count(): boolean {
    const { table } = this;
    if (table.binned && this.takeStored()) return true;
    const [x, y] = [table.values(this.xColumn), table.values(this.yColumn)];
    const most = Math.min(40, Math.max(5, Math.round(Math.sqrt(table.shownCount) / 2)));
    const shown = (row: number) => table.shown[row] === 1;
    this.binsX = makeBins(x, shown, { log: this.log.x, most, values: 100 });
    this.binsY = makeBins(y, shown, { log: this.log.y, most, values: 100 });
    this.mean = [];
    this.counts = null;
    if (!this.binsX || !this.binsY) return false;
    const found = meansIn(this.binsX, this.binsY, x, y, table.values(this.zColumn), table.counts);
    this.mean = found.mean;
    this.counts = found.count;
    return table.sweep.complete && table.filters.size === 0;
  }

  private takeStored(): boolean {
    const { sweep, columns } = this.table;
    const turned = (x: number, y: number) => x === this.yColumn && y === this.xColumn;
    const cells = sweep.cells.find(({ x, y }) => (x === this.xColumn && y === this.yColumn) || turned(x, y));
    const means = cells?.records.find(({ z }) => z === this.zColumn)?.mean;
    const [binsX, binsY] = [columns[this.xColumn].bins, columns[this.yColumn].bins];
    if (!cells || !means || !binsX || !binsY) return false;
    const [nx, ny] = [binsX.centers.length, binsY.centers.length];
    const [low, high] = this.table.range(this.zColumn);
    this.mean = Float64Array.from({ length: nx * ny }, (_, at) => {
      const [i, j] = [Math.floor(at / ny), at % ny];
      const part = turned(cells.x, cells.y) ? means.get(j, i) : means.get(i, j);
      return low * (1 - part) + high * part;
    });
    this.counts = null;
    this.binsX = binsX;
    this.binsY = binsY;
    return true;
  }

  private paintCells(pen: CanvasRenderingContext2D, scale: Axis, lost: string): void {
    const { binsX, binsY } = this;
    if (!binsX || !binsY) return;
    const ny = binsY.centers.length;
    for (let i = 0; i < binsX.centers.length; i++) {
      const h = this.extent(this.x, binsX, i);
      for (let j = 0; h && j < ny; j++) {
        const part = scale.part(this.mean[i * ny + j]);
        const v = this.extent(this.y, binsY, j);
        if (Number.isNaN(part) || !v) continue;
        pen.fillStyle = css(forceColor(part, this.table.dark));
        pen.fillRect(h[0], v[0], h[1] - h[0] || 1, v[1] - v[0] || 1);
      }
    }
    // Cells whose runs were all lost.
    const { table } = this;
    const [xs, ys] = [table.values(this.xColumn), table.values(this.yColumn)];
    pen.strokeStyle = lost;
    pen.lineWidth = 1.5;
    const crossed = new Set<number>();
    for (let row = 0; row < table.rows; row++) {
      if (!table.isLost(row) || table.shown[row] === 0) continue;
      const [i, j] = [binOf(binsX, xs[row]), binOf(binsY, ys[row])];
      const at = i * ny + j;
      if (i < 0 || j < 0 || !Number.isNaN(this.mean[at]) || crossed.has(at)) continue;
      crossed.add(at);
      const [h, v] = [this.extent(this.x, binsX, i), this.extent(this.y, binsY, j)];
      if (h && v) this.cross(pen, (h[0] + h[1]) / 2, (v[0] + v[1]) / 2, Math.min(4, (h[1] - h[0]) / 3, (v[1] - v[0]) / 3));
    }
  }
}
