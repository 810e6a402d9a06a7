// The table of a sweep as docs/report-format.md has it, after read_sweep.ts has checked it.
import type { Numbers } from "../arrays";

export interface Bins {
  edges: ArrayLike<number>; // ascending, one more than centers
  centers: ArrayLike<number>;
  exact: boolean; // a bin for each value
}

export interface Column {
  name: string;
  parameter: boolean; // or a record
  log: boolean; // spans decades
  count: number; // finite values
  low: number; // NaN where there are none
  high: number;
  mean: number;
  distinct: number; // Infinity where they are many
  bins: Bins | null; // with counts, of large tables only
  counts: Numbers | null;
  lost: Numbers | null; // of runs that failed or were refused
}

// Record y against parameter x, counted: parts of the range of y.
export interface Pair {
  x: number;
  y: number;
  counts: Numbers; // [bins of x, bins of y]
  range: Numbers; // [bins of x, 3]: mean, least, most
}

// Means of records over two parameters.
export interface Cells {
  x: number;
  y: number;
  records: { z: number; mean: Numbers }[]; // [bins of x, bins of y]
}

export interface Failure {
  reason: string;
  status: number;
  count: number;
  run: number; // the first
  alike: boolean; // others say the same with other numbers
}

export interface Sweep {
  study: string;
  model: string;
  planned: number;
  rows: number; // of the whole table
  links: boolean;
  complete: boolean; // every row is here
  counts: number[]; // by status
  columns: Column[];
  failures: Failure[];
  otherFailures: number;
  run: Numbers; // [K], numbers of the rows that are here
  values: Numbers; // [K, columns]
  status: Numbers; // [K]
  reason: Numbers; // [K], index of its text, -1: none
  reasons: string[];
  pairs: Pair[];
  cells: Cells[];
}

export const statusNames = ["done", "failed", "refused", "stopped"];
export const lostStatus = (status: number): boolean => status === 1 || status === 2;
