// Lines of a plot and how they are made from the columns of a run.
import { Numbers } from "../arrays";

export interface Series {
  name: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  color: number; // place in the set of line colours; -1: the colour of text
  style: "line" | "dashed" | "points";
  published: boolean;
  upper?: ArrayLike<number>; // a band between y and upper
  width?: number;
}

export function lineOf(name: string, x: ArrayLike<number>, y: ArrayLike<number>, color: number): Series {
  return { name, x, y, color, style: "line", published: false };
}

// The columns with the largest absolute values, largest first.
export function largestColumns(values: Numbers, count: number): number[] {
  const columns = values.rowLength;
  const peak = new Float64Array(columns);
  const data = values.data;
  for (let i = 0, c = 0; i < data.length; i++, c = c + 1 === columns ? 0 : c + 1) {
    const size = Math.abs(data[i]);
    if (size > peak[c]) peak[c] = size;
  }
  return Array.from(peak.keys())
    .sort((a, b) => peak[b] - peak[a] || a - b)
    .slice(0, count);
}

// Smallest and largest value of each row.
export function envelope(values: Numbers): { low: Float64Array; high: Float64Array } {
  const rows = values.shape[0];
  const columns = values.rowLength;
  const low = new Float64Array(rows).fill(NaN);
  const high = new Float64Array(rows).fill(NaN);
  const data = values.data;
  for (let r = 0; r < rows; r++) {
    let least = Infinity;
    let most = -Infinity;
    for (let i = r * columns; i < (r + 1) * columns; i++) {
      if (data[i] < least) least = data[i];
      if (data[i] > most) most = data[i];
    }
    if (least <= most) [low[r], high[r]] = [least, most];
  }
  return { low, high };
}

// Strains (length - rest) / rest in percent, from lengths and rest lengths, which may change.
export function strains(lengths: Numbers, moving: Numbers | null, still: readonly number[]): Numbers | null {
  if (!moving && still.length !== lengths.rowLength) return null;
  return new Numbers(lengths.shape, () => {
    const data = lengths.data;
    const out = new Float32Array(data.length);
    const columns = lengths.rowLength;
    for (let i = 0, c = 0; i < data.length; i++, c = c + 1 === columns ? 0 : c + 1) {
      const rest = moving ? moving.data[i] : still[c];
      out[i] = rest > 0 ? (100 * (data[i] - rest)) / rest : NaN;
    }
    return out;
  });
}

// Angles that go on beyond half a turn instead of jumping: whole turns are added so that no step exceeds half of one.
export function continuous(angles: Float64Array, turn: number): Float64Array {
  const out = Float64Array.from(angles);
  let added = 0;
  for (let i = 1; i < out.length; i++) {
    const step = out[i] + added - out[i - 1];
    if (Number.isFinite(step)) added -= turn * Math.round(step / turn);
    out[i] += added;
  }
  return out;
}

// The value at x: linear between the points around it; NaN outside.
export function valueAt(x: ArrayLike<number>, y: ArrayLike<number>, at: number): number {
  const last = x.length - 1;
  if (last < 0) return NaN;
  const slack = 1e-9 * Math.abs(x[last] - x[0]);
  if (at < x[0] - slack || at > x[last] + slack) return NaN;
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle - 1;
  }
  if (low === last || x[low + 1] === x[low]) return y[low];
  const part = Math.max(0, (at - x[low]) / (x[low + 1] - x[low]));
  return y[low] + part * (y[low + 1] - y[low]);
}

// Whether the abscissas ascend, so that they can be searched.
export function ascends(x: ArrayLike<number>): boolean {
  for (let i = 1; i < x.length; i++) if (!(x[i] >= x[i - 1])) return false;
  return true;
}

// For each column of pixels that holds many points, only the first, the lowest, the highest and the last: what is
// drawn is the same. Gives indices; calls `visit` in order.
export function decimate(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  from: number,
  to: number,
  columnOf: (x: number) => number,
  visit: (index: number) => void,
): void {
  let i = from;
  while (i < to) {
    const column = Math.floor(columnOf(x[i]));
    let low = i;
    let high = i;
    let end = i;
    while (end < to && Math.floor(columnOf(x[end])) === column) {
      if (y[end] < y[low]) low = end;
      if (y[end] > y[high]) high = end;
      if (Number.isNaN(y[end])) break;
      end++;
    }
    if (end === i) {
      visit(i); // not a number: a gap
      i++;
      continue;
    }
    visit(i);
    const [first, second] = low < high ? [low, high] : [high, low];
    if (first !== i) visit(first);
    if (second !== first && second !== end - 1) visit(second);
    if (end - 1 !== i && end - 1 !== first) visit(end - 1);
    i = end;
  }
}
