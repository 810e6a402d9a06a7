// What the plots of a sweep share: the rows at hand, which of them a filter leaves, and which one is selected.
import { lostStatus, type Column, type Sweep } from "./data";

type Event = "filter" | "selection" | "theme";

// Stands for the number of the run where a column is asked for.
export const runColumn = -1;

export class Table {
  readonly rows: number;
  readonly filters = new Map<number, [number, number]>(); // column, from, to
  selected = -1; // row
  dark = false;
  shown: Uint8Array;
  shownCount: number;
  private readonly kept = new Map<number, ArrayLike<number>>();
  private readonly lost: Uint8Array;
  private readonly listeners: Record<Event, (() => void)[]> = { filter: [], selection: [], theme: [] };

  constructor(readonly sweep: Sweep) {
    this.rows = sweep.run.length;
    this.lost = Uint8Array.from(sweep.status.data, (status) => (lostStatus(status) ? 1 : 0));
    this.shown = new Uint8Array(this.rows).fill(1);
    this.shownCount = this.rows;
  }

  on(event: Event, listener: () => void): void {
    this.listeners[event].push(listener);
  }

  emit(event: Event): void {
    for (const listener of this.listeners[event]) listener();
  }

  get columns(): readonly Column[] {
    return this.sweep.columns;
  }

  name(column: number): string {
    return column === runColumn ? "run" : this.columns[column].name || `column ${column + 1}`;
  }

  values(column: number): ArrayLike<number> {
    let found = this.kept.get(column);
    if (!found) this.kept.set(column, (found = column === runColumn ? this.sweep.run.data : this.sweep.values.column(column)));
    return found;
  }

  isLost(row: number): boolean {
    return this.lost[row] === 1;
  }

  // Rows that count in statistics.
  readonly counts = (row: number): boolean => this.shown[row] === 1 && this.lost[row] === 0;

  // Whether plots are drawn from what was counted in bins: a large table, all of it.
  get binned(): boolean {
    return !this.sweep.complete && this.filters.size === 0;
  }

  range(column: number): [number, number] {
    if (column !== runColumn) return [this.columns[column].low, this.columns[column].high];
    const run = this.sweep.run.data;
    return this.rows > 0 ? [run[0], run[run.length - 1]] : [NaN, NaN];
  }

  isLog(column: number): boolean {
    return column !== runColumn && this.columns[column].log;
  }

  // Null takes the filter away.
  filter(column: number, span: [number, number] | null): void {
    if (span) this.filters.set(column, span);
    else this.filters.delete(column);
    this.apply();
  }

  clearFilters(): void {
    this.filters.clear();
    this.apply();
  }

  private apply(): void {
    this.shown.fill(1);
    for (const [column, [low, high]] of this.filters) {
      const values = this.values(column);
      for (let i = 0; i < this.rows; i++) if (!(values[i] >= low && values[i] <= high)) this.shown[i] = 0;
    }
    this.shownCount = this.shown.reduce((sum, one) => sum + one, 0);
    this.emit("filter");
  }

  select(row: number): void {
    if (row === this.selected) return;
    this.selected = row;
    this.emit("selection");
  }

  // The row of a run, or the one nearest to it; -1 where there are none.
  rowOf(run: number): number {
    const runs = this.sweep.run.data;
    let best = -1;
    for (let i = 0; i < runs.length; i++) {
      if (best < 0 || Math.abs(runs[i] - run) < Math.abs(runs[best] - run)) best = i;
    }
    return best;
  }

  reason(row: number): string {
    return this.sweep.reasons[this.sweep.reason.data[row]] ?? "";
  }

  // Columns that vary, parameters or records; all of them where none does.
  varying(parameter: boolean): number[] {
    const all = [...this.columns.keys()].filter((c) => this.columns[c].parameter === parameter && this.columns[c].count > 0);
    const some = all.filter((c) => this.columns[c].high > this.columns[c].low);
    return some.length > 0 ? some : all;
  }
}
