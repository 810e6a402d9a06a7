// Parallel coordinates: every column an upright axis, every run a line across them. A brush on an axis filters the runs
// in all plots.
import { css, forceColor } from "../colors";
import { Axis } from "../plot/axes";
import type { Ink } from "../plot/draw";
import { cut, number } from "../text";
import { Chart, grouped, type Place } from "./chart";
import type { Table } from "./table";

const mostLines = 3000; // drawn at once
const faintLines = 800; // of those that a filter takes away
const mostAxes = 40;
const shades = 24;
const top = 34;
const reach = 12; // pixels beside an axis that belong to it

export class Parallel extends Chart {
  private readonly shownColumns: number[];
  private axes: Axis[] = [];
  private places: number[] = []; // pixels of the axes
  private colorColumn: number;
  private pointed = -1;
  private brush = -1; // axis that is being brushed

  constructor(table: Table) {
    super(table, "parallel", "Parallel coordinates", "Drag along an axis to filter the runs, click the axis to show all again; with the keys: the fields below.");
    this.shownColumns = [...table.columns.keys()].filter((c) => table.columns[c].count > 0).slice(0, mostAxes);
    this.colorColumn = table.varying(false)[0] ?? table.varying(true)[0] ?? NaN;
    this.columnChoice("colour", this.shownColumns, this.colorColumn, (column) => {
      this.colorColumn = column;
      this.refresh();
    }, "none");
  }

  protected override breadth(): number {
    return Math.max(this.area.clientWidth, 92 * this.shownColumns.length + 20);
  }

  protected paint(pen: CanvasRenderingContext2D): void {
    const { table } = this;
    const ink = this.ink();
    this.layOut();
    pen.clearRect(0, 0, this.width, this.height);
    pen.lineWidth = 1;
    const lost: number[] = [];
    const faint: number[] = [];
    const good: number[] = [];
    for (let row = 0; row < table.rows; row++) (table.shown[row] === 0 ? faint : table.isLost(row) ? lost : good).push(row);
    pen.strokeStyle = ink.grid;
    pen.globalAlpha = 0.7;
    this.trace(pen, thin(faint, faintLines));
    this.paintGood(pen, thin(good, mostLines), ink);
    pen.strokeStyle = ink.line(1);
    pen.globalAlpha = 0.8;
    pen.setLineDash([4, 3]);
    this.trace(pen, thin(lost, faintLines));
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    this.paintAxes(pen, ink);
    const drawn = Math.min(good.length, mostLines);
    const part = drawn < good.length ? `${grouped(drawn)} of ${grouped(good.length)} lines are drawn. ` : "";
    const left = this.table.columns.length > this.shownColumns.length ? ` The first ${this.shownColumns.length} columns.` : "";
    this.sayAtRest(`${part}Drag along an axis to filter, click it to show all again.${left}`);
  }

  protected override paintOver(pen: CanvasRenderingContext2D): void {
    const ink = this.ink();
    for (const [row, width] of [[this.pointed, 1.6], [this.table.selected, 3]]) {
      if (row < 0) continue;
      pen.strokeStyle = this.table.dark ? "#0a0e13" : "#ffffff";
      pen.lineWidth = width + 2.5;
      this.trace(pen, [row]);
      pen.strokeStyle = ink.text;
      pen.lineWidth = width;
      this.trace(pen, [row]);
    }
  }

  protected point(at: Place | null): string {
    const axis = at ? this.axisAt(at) : -1;
    this.area.style.cursor = axis >= 0 ? "row-resize" : "pointer";
    const found = at && axis < 0 ? this.nearest(at) : -1;
    if (found !== this.pointed) {
      this.pointed = found;
      this.refreshOver();
    }
    if (axis >= 0 && at) {
      return `${cut(this.table.name(this.shownColumns[axis]), 60)} ${number(this.axes[axis].value(this.clamp(at.y)))}`;
    }
    return found >= 0 ? `Run ${this.table.sweep.run.data[found]}` : "";
  }

  protected override click(at: Place): void {
    const axis = this.axisAt(at);
    if (axis >= 0) this.table.filter(this.shownColumns[axis], null);
    else {
      const found = this.nearest(at);
      if (found >= 0) this.table.select(found);
    }
  }

  protected override drag(from: Place, to: Place, done: boolean): boolean {
    if (this.brush < 0) this.brush = this.axisAt(from);
    if (this.brush < 0) return false;
    const axis = this.axes[this.brush];
    const [a, b] = [this.clamp(from.y), this.clamp(to.y)].sort((p, q) => p - q);
    const x = this.places[this.brush];
    this.showBox(done ? null : { left: x - reach, right: x + reach, top: a, bottom: b });
    const column = this.shownColumns[this.brush];
    this.say(`${cut(this.table.name(column), 60)} ${number(axis.value(b))} … ${number(axis.value(a))}`);
    if (done) {
      // The ends of the axis take in what rounding leaves outside.
      const [low, high] = this.table.range(column);
      const span: [number, number] = [b >= axis.from - 1 ? Math.min(low, axis.value(b)) : axis.value(b), a <= axis.to + 1 ? Math.max(high, axis.value(a)) : axis.value(a)];
      this.brush = -1;
      this.table.filter(column, span);
    }
    return true;
  }

  private clamp(y: number): number {
    return Math.min(Math.max(y, top), this.height - 22);
  }

  private layOut(): void {
    const count = this.shownColumns.length;
    const [left, right] = [48, this.width - 48];
    this.places = this.shownColumns.map((_, i) => (count > 1 ? left + (i * (right - left)) / (count - 1) : this.width / 2));
    this.axes = this.shownColumns.map((column) => {
      const axis = new Axis(this.table.isLog(column));
      const [low, high] = this.table.range(column);
      axis.setSpan(low, high, 0);
      axis.from = this.height - 22;
      axis.to = top;
      return axis;
    });
  }

  private paintGood(pen: CanvasRenderingContext2D, rows: number[], ink: Ink): void {
    pen.globalAlpha = rows.length > 1000 ? 0.22 : rows.length > 150 ? 0.45 : 0.75;
    const at = this.shownColumns.indexOf(this.colorColumn);
    if (at < 0) {
      pen.strokeStyle = ink.line(0);
      this.trace(pen, rows);
      return;
    }
    // A stroke for each shade, in turn from low to high.
    const values = this.table.values(this.colorColumn);
    const groups: number[][] = Array.from({ length: shades }, () => []);
    for (const row of rows) {
      const part = this.axes[at].part(values[row]);
      groups[Number.isNaN(part) ? 0 : Math.min(shades - 1, Math.floor(part * shades))].push(row);
    }
    groups.forEach((group, i) => {
      pen.strokeStyle = css(forceColor((i + 0.5) / shades, this.table.dark));
      this.trace(pen, group);
    });
  }

  // Lines across the axes, broken where a value is missing; of lost runs only as far as they are known.
  private trace(pen: CanvasRenderingContext2D, rows: number[]): void {
    const { table } = this;
    const columns = this.shownColumns.map((column) => table.values(column));
    pen.beginPath();
    for (const row of rows) {
      let down = false;
      for (let i = 0; i < columns.length; i++) {
        const known = !table.isLost(row) || table.columns[this.shownColumns[i]].parameter;
        const y = known && Number.isFinite(columns[i][row]) ? this.axes[i].pixel(columns[i][row]) : NaN;
        if (Number.isNaN(y)) {
          down = false;
          continue;
        }
        if (down) pen.lineTo(this.places[i], y);
        else pen.moveTo(this.places[i], y);
        down = true;
      }
    }
    pen.stroke();
  }

  private paintAxes(pen: CanvasRenderingContext2D, ink: Ink): void {
    const step = this.places.length > 1 ? this.places[1] - this.places[0] : this.width;
    pen.textAlign = "center";
    this.shownColumns.forEach((column, i) => {
      const [x, axis] = [this.places[i], this.axes[i]];
      pen.fillStyle = ink.muted;
      pen.fillRect(x - 0.75, axis.to, 1.5, axis.from - axis.to);
      pen.font = "600 12px system-ui, sans-serif";
      pen.fillStyle = ink.text;
      pen.textBaseline = "alphabetic";
      const name = fitted(pen, this.table.name(column), Math.min(step - 10, 170));
      const half = 0.5 * pen.measureText(name).width + 1;
      pen.fillText(name, Math.min(Math.max(x, half), this.width - half), 14);
      pen.font = "11px system-ui, sans-serif";
      pen.fillStyle = ink.muted;
      const [low, high] = this.table.range(column);
      pen.fillText(number(high, 3), x, 28);
      pen.fillText(number(low, 3), x, this.height - 7);
      const span = this.table.filters.get(column);
      if (!span) return;
      const ends = span.map((value) => axis.pixel(Math.min(Math.max(value, axis.low), axis.high)));
      pen.fillStyle = ink.line(0);
      pen.globalAlpha = 0.35;
      pen.fillRect(x - 6, Math.min(...ends), 12, Math.max(2, Math.abs(ends[0] - ends[1])));
      pen.globalAlpha = 1;
    });
  }

  private axisAt(at: Place): number {
    return this.places.findIndex((x) => Math.abs(x - at.x) <= reach);
  }

  // The run whose line passes nearest, among those that are drawn.
  private nearest(at: Place): number {
    const { table } = this;
    const right = this.places.findIndex((x) => x > at.x);
    if (right < 1) return -1;
    const [a, b] = [table.values(this.shownColumns[right - 1]), table.values(this.shownColumns[right])];
    const part = (at.x - this.places[right - 1]) / (this.places[right] - this.places[right - 1]);
    let best = -1;
    let least = 10;
    for (let row = 0; row < table.rows; row++) {
      if (table.shown[row] === 0) continue;
      const [p, q] = [this.axes[right - 1].pixel(a[row]), this.axes[right].pixel(b[row])];
      const far = Math.abs(p + part * (q - p) - at.y);
      if (far < least) [least, best] = [far, row];
    }
    return best;
  }
}

// Evenly out of a list, at most so many.
function thin(rows: number[], most: number): number[] {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)]);
}

// As much of a name as has room.
function fitted(pen: CanvasRenderingContext2D, name: string, room: number): string {
  let length = Math.min(name.length, 60);
  while (length > 2 && pen.measureText(cut(name, length)).width > room) length--;
  return cut(name, length);
}
