// One column against another, a point for each run; a density where they are too many. Lost runs are crosses at the edge.
import { css, forceColor } from "../colors";
import { Axis } from "../plot/axes";
import { cut, number } from "../text";
import { grouped, type Place } from "./chart";
import type { Bins, Pair } from "./data";
import { runColumn, type Table } from "./table";
import { XYChart } from "./xy";

const near = 14; // pixels
const fewInSight = 3000; // so many points are drawn over a density

export class Scatter extends XYChart {
  private xColumn: number;
  private yColumn: number;
  private colorColumn = NaN;
  private pointed = -1;
  private places: { x: Float32Array; y: Float32Array } | null = null;

  constructor(table: Table) {
    super(table, "scatter", "Scatter", "Arrow keys go from run to run, plus and minus zoom, Escape shows all.");
    const all = [...table.columns.keys()];
    const parameters = table.varying(true);
    const records = table.varying(false);
    this.yColumn = records[0] ?? parameters[1] ?? parameters[0] ?? runColumn;
    this.xColumn = parameters[0] !== this.yColumn ? (parameters[0] ?? records[1] ?? runColumn) : runColumn;
    this.columnChoice("y", [...all, runColumn], this.yColumn, (column) => {
      this.yColumn = column;
      this.setColumn("y", column);
    });
    this.columnChoice("x", [...all, runColumn], this.xColumn, (column) => {
      this.xColumn = column;
      this.setColumn("x", column);
    });
    this.columnChoice("colour", all, NaN, (column) => {
      this.colorColumn = column;
      this.refresh();
    }, table.sweep.complete ? "none" : "number of runs");
    this.logChoice("x");
    this.logChoice("y");
    this.setColumn("x", this.xColumn);
    this.setColumn("y", this.yColumn);
  }

  // Where a row is drawn, in pixels of the page.
  placeOf(row: number): Place | null {
    const place = this.at(row);
    if (!place) return null;
    const box = this.area.getBoundingClientRect();
    return { x: box.left + place.x, y: box.top + place.y };
  }

  protected paint(pen: CanvasRenderingContext2D): void {
    const { table } = this;
    const colored = !Number.isNaN(this.colorColumn);
    const pair = table.binned && !colored ? this.pair() : null;
    const lost = table.sweep.counts[1] + table.sweep.counts[2] > 0;
    const margin = { x: 0.03, top: 0.06, bottom: 0.06 };
    const room = colored || pair ? 74 : 0;
    const ink = this.layAxes(pen, table.range(this.xColumn), table.range(this.yColumn), margin, room, lost);
    this.drawAxes(pen, table.name(this.xColumn), table.name(this.yColumn), ink);
    this.locate();
    this.clip(pen, () => {
      if (pair) this.paintDensity(pen, pair, ink.line(0));
      else this.paintPoints(pen, ink.line(0), ink.grid);
      this.paintLost(pen, ink.line(1), ink.muted);
    });
    if (pair) this.ramp(pen, this.countAxis(pair), "runs", ink);
    else if (colored) this.ramp(pen, this.colorAxis(), table.name(this.colorColumn), ink);
    this.sayAtRest(this.source(pair !== null) + (lost ? " Crosses: lost runs." : ""));
  }

  protected override paintOver(pen: CanvasRenderingContext2D): void {
    const ink = this.ink();
    const ring = (row: number, size: number, width: number) => {
      const place = row >= 0 ? this.at(row) : null;
      if (!place) return;
      pen.beginPath();
      pen.arc(place.x, place.y, size, 0, 2 * Math.PI);
      pen.strokeStyle = this.table.dark ? "#0a0e13" : "#ffffff";
      pen.lineWidth = width + 2.5;
      pen.stroke();
      pen.strokeStyle = ink.text;
      pen.lineWidth = width;
      pen.stroke();
    };
    ring(this.pointed, 5, 1.4);
    ring(this.table.selected, 6.5, 2.4);
  }

  protected point(at: Place | null): string {
    const found = at ? this.nearest(at) : -1;
    if (found !== this.pointed) {
      this.pointed = found;
      this.refreshOver();
    }
    return found >= 0 ? this.describe(found) : "";
  }

  protected override click(at: Place): void {
    const found = this.nearest(at);
    if (found >= 0) this.table.select(found);
  }

  // From run to run along x, among those in sight.
  protected override keyed(event: KeyboardEvent): boolean {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined) return this.zoomKey(event.key);
    const along = event.key === "ArrowUp" || event.key === "ArrowDown" ? this.yColumn : this.xColumn;
    const values = this.table.values(along);
    const order: number[] = [];
    for (let i = 0; i < this.table.rows; i++) if (this.at(i)) order.push(i);
    order.sort((a, b) => values[a] - values[b] || a - b);
    if (order.length === 0) return true;
    const now = order.indexOf(this.table.selected);
    const next = now < 0 ? (by > 0 ? 0 : order.length - 1) : (now + by + order.length) % order.length;
    this.table.select(order[next]);
    this.say(this.describe(order[next]));
    return true;
  }

  // What is drawn.
  private source(counted: boolean): string {
    const { complete, rows } = this.table.sweep;
    const [shown, kept] = [grouped(this.table.shownCount), grouped(this.table.rows)];
    if (counted) return `All ${grouped(rows)} runs, counted; ${kept} can be clicked.`;
    if (!complete) return `${shown} of ${kept} runs drawn at random.`;
    return this.table.filters.size > 0 ? `${shown} of ${kept} runs.` : "Click a run to see its values.";
  }

  private describe(row: number): string {
    const { table } = this;
    const value = (column: number) => `${cut(table.name(column), 40)} ${number(table.values(column)[row])}`;
    const words = [`Run ${table.sweep.run.data[row]}`, value(this.xColumn), value(this.yColumn)];
    if (!Number.isNaN(this.colorColumn)) words.push(value(this.colorColumn));
    if (table.isLost(row)) words.push(cut(table.reason(row), 90) || "lost");
    return words.join(" · ");
  }

  private pair(): { pair: Pair; turned: boolean } | null {
    for (const pair of this.table.sweep.pairs) {
      if (pair.x === this.xColumn && pair.y === this.yColumn) return { pair, turned: false };
      if (pair.y === this.xColumn && pair.x === this.yColumn) return { pair, turned: true };
    }
    return null;
  }

  private countAxis({ pair }: { pair: Pair }): Axis {
    const axis = new Axis(true);
    axis.setSpan(1, Math.max(2, pair.counts.range()[1]), 0);
    return axis;
  }

  private colorAxis(): Axis {
    const [low, high] = this.table.range(this.colorColumn);
    const axis = new Axis(this.table.isLog(this.colorColumn));
    axis.setSpan(low, high, 0);
    return axis;
  }

  private paintDensity(pen: CanvasRenderingContext2D, { pair, turned }: { pair: Pair; turned: boolean }, color: string): void {
    const { columns } = this.table;
    const [binsX, binsY] = [columns[this.xColumn].bins, columns[this.yColumn].bins];
    if (!binsX || !binsY) return;
    const scale = this.countAxis({ pair });
    const [nx, ny] = [binsX.centers.length, binsY.centers.length];
    const spans = (axis: Axis, bins: Bins) => Array.from(bins.centers, (_, i) => this.extent(axis, bins, i));
    const [across, up] = [spans(this.x, binsX), spans(this.y, binsY)];
    for (let i = 0; i < nx; i++) {
      for (let j = 0; j < ny; j++) {
        const count = turned ? pair.counts.get(j, i) : pair.counts.get(i, j);
        const [h, v] = [across[i], up[j]];
        if (count === 0 || !h || !v) continue;
        pen.fillStyle = css(forceColor(scale.part(count), this.table.dark));
        pen.fillRect(h[0], v[0], h[1] - h[0] || 1, v[1] - v[0] || 1);
      }
    }
    // Where few are left in sight, the points themselves.
    const seen: number[] = [];
    for (let row = 0; row < this.table.rows && seen.length <= fewInSight; row++) {
      if (!this.table.isLost(row) && this.at(row)) seen.push(row);
    }
    if (seen.length > fewInSight) return;
    pen.fillStyle = color;
    for (const row of seen) this.dot(pen, row, 1.8);
  }

  private paintPoints(pen: CanvasRenderingContext2D, color: string, faint: string): void {
    const { table } = this;
    const size = table.shownCount > 6000 ? 1.4 : table.shownCount > 600 ? 2 : 3;
    if (table.filters.size > 0) {
      pen.fillStyle = faint;
      for (let row = 0; row < table.rows; row++) if (table.shown[row] === 0 && !table.isLost(row)) this.dot(pen, row, 1.4);
    }
    pen.globalAlpha = table.shownCount > 6000 ? 0.45 : table.shownCount > 600 ? 0.65 : 0.85;
    const tint = Number.isNaN(this.colorColumn) ? null : table.values(this.colorColumn);
    const axis = tint ? this.colorAxis() : null;
    pen.fillStyle = color;
    for (let row = 0; row < table.rows; row++) {
      if (!table.counts(row)) continue;
      if (tint && axis) {
        const part = axis.part(tint[row]);
        if (Number.isNaN(part)) continue;
        pen.fillStyle = css(forceColor(part, table.dark));
      }
      this.dot(pen, row, size);
    }
    pen.globalAlpha = 1;
  }

  private dot(pen: CanvasRenderingContext2D, row: number, size: number): void {
    const [x, y] = [this.places!.x[row], this.places!.y[row]];
    if (Number.isNaN(x) || Number.isNaN(y)) return;
    if (size < 1.6) {
      pen.fillRect(x - size, y - size, 2 * size, 2 * size);
      return;
    }
    pen.beginPath();
    pen.arc(x, y, size, 0, 2 * Math.PI);
    pen.fill();
  }

  // Crosses at the edge: runs that were lost; dots: runs that ended without this value.
  private paintLost(pen: CanvasRenderingContext2D, color: string, muted: string): void {
    const { table } = this;
    const at = this.stripAt();
    pen.strokeStyle = color;
    pen.fillStyle = muted;
    pen.lineWidth = 1.5;
    const lost = this.xColumn === runColumn ? null : table.columns[this.xColumn].lost;
    const bins = this.xColumn === runColumn ? null : table.columns[this.xColumn].bins;
    if (table.binned && lost && bins) {
      const most = lost.range()[1];
      for (let i = 0; i < lost.length; i++) {
        const count = lost.data[i];
        if (count === 0) continue;
        pen.globalAlpha = 0.35 + 0.65 * (Math.log(1 + count) / Math.log(1 + most));
        this.cross(pen, this.x.pixel(bins.centers[i]), at, 3);
      }
      pen.globalAlpha = 1;
      return;
    }
    pen.globalAlpha = 0.8;
    for (let row = 0; row < table.rows; row++) {
      if (table.shown[row] === 0) continue;
      const x = this.places!.x[row];
      if (Number.isNaN(x)) continue;
      if (table.isLost(row)) this.cross(pen, x, at, 3);
      else if (Number.isNaN(this.places!.y[row])) pen.fillRect(x - 1, at - 1, 2, 2);
    }
    pen.globalAlpha = 1;
  }

  // Pixels of all rows; NaN where a value is missing.
  private locate(): void {
    const { table } = this;
    const [xs, ys] = [table.values(this.xColumn), table.values(this.yColumn)];
    const places = { x: new Float32Array(table.rows), y: new Float32Array(table.rows) };
    for (let i = 0; i < table.rows; i++) {
      places.x[i] = Number.isFinite(xs[i]) ? this.x.pixel(xs[i]) : NaN;
      places.y[i] = Number.isFinite(ys[i]) ? this.y.pixel(ys[i]) : NaN;
    }
    this.places = places;
  }

  // Where a row is drawn in the plot; null where it is not.
  private at(row: number): Place | null {
    if (!this.places || this.table.shown[row] === 0) return null;
    const { left, right, top, bottom } = this.frame;
    const x = this.places.x[row];
    const y = this.table.isLost(row) || Number.isNaN(this.places.y[row]) ? this.stripAt() : this.places.y[row];
    return x >= left - 3 && x <= right + 3 && y >= top - 3 && y <= bottom + 3 ? { x, y } : null;
  }

  private nearest(at: Place): number {
    let best = -1;
    let least = near * near;
    for (let row = 0; row < this.table.rows; row++) {
      const place = this.at(row);
      if (!place) continue;
      const far = (place.x - at.x) ** 2 + (place.y - at.y) ** 2;
      if (far >= least) continue;
      least = far;
      best = row;
    }
    return best;
  }
}
