// Values into bins, as taut does it for tables that are too large for a page: here for those that are not, and for the
// rows that a filter leaves.
import type { Bins } from "./data";

export interface BinRules {
  log: boolean;
  most: number; // bins of equal width
  values: number; // so many different values have a bin each, where they repeat
  single?: boolean; // also where they do not: nothing else varies
}

// Null where there is nothing to count. On a logarithmic axis only positive values count.
export function makeBins(all: ArrayLike<number>, use: (row: number) => boolean, rules: BinRules): Bins | null {
  const { log, most } = rules;
  const found: number[] = [];
  for (let i = 0; i < all.length; i++) if (use(i) && Number.isFinite(all[i]) && (!log || all[i] > 0)) found.push(all[i]);
  if (found.length === 0) return null;
  const sorted = Float64Array.from(found).sort();
  const different: number[] = [];
  for (const value of sorted) if (value !== different[different.length - 1]) different.push(value);
  const repeats = rules.single === true || sorted.length >= 2 * different.length;
  if (different.length <= 2 || (different.length <= rules.values && repeats)) return binsOfValues(different, log);
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  const at = (part: number) => (log ? low * (high / low) ** part : low * (1 - part) + high * part);
  const edges = Array.from({ length: most + 1 }, (_, i) => at(i / most));
  edges[0] = low;
  edges[most] = high;
  return { edges, centers: Array.from({ length: most }, (_, i) => at((i + 0.5) / most)), exact: false };
}

function binsOfValues(values: number[], log: boolean): Bins {
  const last = values.length - 1;
  if (last === 0) {
    const margin = values[0] === 0 ? 0.5 : 0.5 * Math.abs(values[0]);
    return { edges: [values[0] - margin, values[0] + margin], centers: values, exact: true };
  }
  const between = (a: number, b: number) => {
    const middle = log ? a * Math.sqrt(b / a) : 0.5 * a + 0.5 * b;
    return middle > a ? middle : b;
  };
  const beyond = (end: number, inner: number) => (log ? end * Math.sqrt(end / inner) : 1.5 * end - 0.5 * inner);
  const edges = values.slice(1).map((value, i) => between(values[i], value));
  const outer = [beyond(values[0], values[1]), beyond(values[last], values[last - 1])];
  return { edges: [outer[0], ...edges, outer[1]], centers: values, exact: true };
}

// Index of the bin; -1 outside. The last bin holds its upper edge too.
export function binOf(bins: Bins, value: number): number {
  const { edges } = bins;
  const count = edges.length - 1;
  if (!(value >= edges[0] && value <= edges[count])) return -1;
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (value >= edges[middle]) low = middle;
    else high = middle;
  }
  return low;
}

export function countIn(bins: Bins, x: ArrayLike<number>, use: (row: number) => boolean): Float64Array {
  const counts = new Float64Array(bins.centers.length);
  for (let i = 0; i < x.length; i++) {
    const at = use(i) ? binOf(bins, x[i]) : -1;
    if (at >= 0) counts[at]++;
  }
  return counts;
}

export interface Ranges {
  count: ArrayLike<number>;
  mean: ArrayLike<number>; // NaN where nothing was counted
  low: ArrayLike<number>;
  high: ArrayLike<number>;
}

export function rangesIn(bins: Bins, x: ArrayLike<number>, y: ArrayLike<number>, use: (row: number) => boolean): Ranges {
  const size = bins.centers.length;
  const count = new Float64Array(size);
  const mean = new Float64Array(size);
  const low = new Float64Array(size).fill(Infinity);
  const high = new Float64Array(size).fill(-Infinity);
  for (let i = 0; i < x.length; i++) {
    const at = use(i) && Number.isFinite(y[i]) ? binOf(bins, x[i]) : -1;
    if (at < 0) continue;
    count[at]++;
    mean[at] += (y[i] - mean[at]) / count[at];
    low[at] = Math.min(low[at], y[i]);
    high[at] = Math.max(high[at], y[i]);
  }
  for (let i = 0; i < size; i++) if (count[i] === 0) mean[i] = low[i] = high[i] = NaN;
  return { count, mean, low, high };
}

// Means of z in the cells [bins of x, bins of y]; NaN where there are none.
export function meansIn(
  binsX: Bins,
  binsY: Bins,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  z: ArrayLike<number>,
  use: (row: number) => boolean,
): { mean: Float64Array; count: Float64Array } {
  const width = binsY.centers.length;
  const mean = new Float64Array(binsX.centers.length * width);
  const count = new Float64Array(mean.length);
  for (let i = 0; i < x.length; i++) {
    if (!use(i) || !Number.isFinite(z[i])) continue;
    const [across, up] = [binOf(binsX, x[i]), binOf(binsY, y[i])];
    if (across < 0 || up < 0) continue;
    const at = across * width + up;
    count[at]++;
    mean[at] += (z[i] - mean[at]) / count[at];
  }
  for (let i = 0; i < mean.length; i++) if (count[i] === 0) mean[i] = NaN;
  return { mean, count };
}
