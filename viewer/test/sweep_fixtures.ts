// Sweeps made up for the tests: rows from closed forms, put into a document as docs/report-format.md has it, small ones row
// by row, large ones counted in bins.
import { arr, type Arr } from "./encode";

export interface Row {
  run: number;
  values: number[];
  status: number;
  reason: string;
}

export interface SweepFixture {
  title: string;
  names: [name: string, parameter: boolean][];
  rows: Iterable<Row>;
  links?: boolean;
  planned?: number;
  notes?: string[];
}

// Numbers in [0, 1) that are the same every time (mulberry32).
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// 20 tilts by 10 stiffnesses: the stiff, much tilted ones go slack, and the worst of them diverge.
export function prismSweep(): SweepFixture {
  const rows: Row[] = [];
  for (let i = 0; i < 20; i++) {
    for (let k = 0; k < 10; k++) {
      const [tilt, stiffness] = [-30 + (60 * i) / 19, 5 * 10 ** ((2 * k) / 9)];
      const run = rows.length;
      const pull = 4 + 0.01 * stiffness * (1 + (tilt / 12) ** 2);
      const slack = Math.max(0, Math.floor(Math.abs(tilt) / 6 - 2 + Math.log10(stiffness)));
      const lost = Math.abs(tilt) > 26 && stiffness > 250;
      const reason = lost ? `the step fell below 1e-12 s at t = ${(0.1 + 0.01 * i).toFixed(2)} s` : "";
      rows.push({ run, values: [tilt, stiffness, lost ? NaN : pull, lost ? NaN : slack], status: lost ? 1 : 0, reason });
    }
  }
  rows[3] = { ...rows[3], status: 2, reason: "cables.*.stiffness: the model is not in balance", values: [...rows[3].values.slice(0, 2), NaN, NaN] };
  return {
    title: "Tilt of a prism",
    names: [["tilt", true], ["cables.*.stiffness", true], ["largest tension", false], ["slack cables", false]],
    rows,
    links: true,
    notes: ["9 of 200 runs were lost: 8 failed, 1 was refused."],
  };
}

// A Monte-Carlo sweep of `count` runs, made while it is read.
export function towerSweep(count: number): SweepFixture {
  function* rows(): Generator<Row> {
    const next = random(7);
    const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    for (let run = 0; run < count; run++) {
      const [error, stiffness, levels] = [0.01 * normal(), 10 ** (3 + 2 * next()), 3 + Math.floor(6 * next())];
      const sway = (0.2 + 40 * Math.abs(error)) * (levels / 3) ** 2 * (2e4 / stiffness) ** 0.5 * Math.exp(0.2 * normal());
      const frequency = (Math.sqrt(stiffness / 1000) / levels) * (1 + 0.05 * normal());
      const lost = next() < 2e-5;
      yield {
        run,
        values: [error, stiffness, levels, lost ? NaN : sway, lost ? NaN : frequency],
        status: lost ? 1 : 0,
        reason: lost ? `buckled at t = ${next().toFixed(3)} s` : "",
      };
    }
  }
  return {
    title: `A manufactured tower, ${count} times`,
    names: [["length error", true], ["cables.*.stiffness", true], ["levels", true], ["largest sway", false], ["first frequency", false]],
    rows: { [Symbol.iterator]: rows },
  };
}

interface Counted {
  low: number;
  high: number;
  sum: number;
  count: number;
  distinct: Set<number>;
}

const masked = (reason: string) => reason.replace(/-?\d[\d.]*(e[-+]?\d+)?/gi, "#");

// Rows beyond `most` are counted in `bins` bins; every n-th is kept.
export function sweepDocument(fixture: SweepFixture, most = 20000, bins = 64): Record<string, unknown> {
  const width = fixture.names.length;
  const seen: Counted[] = fixture.names.map(() => ({ low: Infinity, high: -Infinity, sum: 0, count: 0, distinct: new Set() }));
  const statuses = [0, 0, 0, 0];
  const failures = new Map<string, { reason: string; status: number; count: number; run: number; alike: boolean }>();
  let total = 0;
  for (const { run, values, status, reason } of fixture.rows) {
    total++;
    statuses[status]++;
    values.forEach((value, c) => {
      if (!Number.isFinite(value)) return;
      const column = seen[c];
      column.low = Math.min(column.low, value);
      column.high = Math.max(column.high, value);
      column.sum += value;
      column.count++;
      if (column.distinct.size <= 1024) column.distinct.add(value);
    });
    if (status === 0) continue;
    const known = failures.get(masked(reason));
    if (known) known.count++, (known.alike ||= known.reason !== reason);
    else failures.set(masked(reason), { reason, status, count: 1, run, alike: false });
  }
  const step = Math.max(1, Math.ceil(total / most));
  const complete = step === 1;
  const kept: Row[] = [];
  let at = 0;
  for (const row of fixture.rows) if (at++ % step === 0 || row.status !== 0) kept.push(row);
  const texts = [...new Set(kept.map((row) => row.reason).filter((reason) => reason !== ""))];
  const logs = seen.map(({ low, high }) => low > 0 && high / low > 50);
  const columns = fixture.names.map(([name, parameter], c) => {
    const { low, high, sum, count, distinct } = seen[c];
    const base: Record<string, unknown> = { name, parameter, log: logs[c], count };
    if (count > 0) Object.assign(base, { low, high, mean: sum / count });
    if (distinct.size <= 1024) base.distinct = distinct.size;
    return base;
  });
  return {
    format: 1,
    generator: "taut test",
    title: fixture.title,
    subtitle: "sweep.toml · model.toml",
    kind: "sweep",
    warnings: fixture.notes ?? [],
    sweep: {
      study: "sweep.toml",
      model: "model.toml",
      planned: fixture.planned ?? total,
      rows: total,
      links: fixture.links === true,
      complete,
      counts: statuses,
      columns,
      failures: [...failures.values()].sort((a, b) => b.count - a.count),
      other_failures: 0,
      table: {
        run: arr([kept.length], kept.map((row) => row.run), "f8"),
        values: arr([kept.length, width], kept.flatMap((row) => row.values), "f8"),
        status: arr([kept.length], kept.map((row) => row.status)),
        reason: arr([kept.length], kept.map((row) => texts.indexOf(row.reason))),
        reasons: texts,
      },
      ...(complete ? {} : counted(fixture, seen, logs, columns, bins)),
    },
  };
}

// Densities, ranges and means over bins of equal width (in the logarithm where that is asked for), or one for each value.
function counted(fixture: SweepFixture, seen: Counted[], logs: boolean[], columns: Record<string, unknown>[], most: number): Record<string, unknown> {
  const edges = seen.map(({ low, high, distinct }, c) => {
    const values = [...distinct].sort((a, b) => a - b);
    if (values.length <= most) {
      const inner = values.slice(1).map((value, i) => 0.5 * (value + values[i]));
      return [values[0] - 0.5 * (values[1] - values[0]), ...inner, values[values.length - 1] + 0.5 * (values[1] - values[0])];
    }
    return Array.from({ length: most + 1 }, (_, i) => (logs[c] ? low * (high / low) ** (i / most) : low + ((high - low) * i) / most));
  });
  const sizes = edges.map((list) => list.length - 1);
  const place = (c: number, value: number): number => {
    const { distinct, low, high } = seen[c];
    if (distinct.size <= most) return edges[c].findIndex((edge, i) => i > 0 && value < edge) - 1;
    const part = logs[c] ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return Math.min(most - 1, Math.max(0, Math.floor(part * most)));
  };
  const [parameters, records] = [true, false].map((kind) => fixture.names.flatMap(([, is], c) => (is === kind ? [c] : [])));
  const counts = sizes.map((size) => new Float64Array(size));
  const lost = sizes.map((size) => new Float64Array(size));
  const pairs = records.flatMap((y) => parameters.map((x) => ({
    x, y, counts: new Float64Array(sizes[x] * sizes[y]), sum: new Float64Array(sizes[x]),
    least: new Float64Array(sizes[x]).fill(Infinity), most: new Float64Array(sizes[x]).fill(-Infinity), n: new Float64Array(sizes[x]),
  })));
  const cells = parameters.flatMap((y, j) => parameters.slice(0, j).map((x) => ({
    x, y, n: new Float64Array(sizes[x] * sizes[y]), sums: records.map(() => new Float64Array(sizes[x] * sizes[y])),
  })));
  for (const { values, status } of fixture.rows) {
    const places = values.map((value, c) => (Number.isFinite(value) ? place(c, value) : -1));
    places.forEach((p, c) => p >= 0 && (status === 0 ? counts : lost)[c][p]++);
    if (status !== 0) continue;
    const part = (c: number) => (values[c] - seen[c].low) / (seen[c].high - seen[c].low);
    for (const pair of pairs) {
      const [i, j, value] = [places[pair.x], places[pair.y], part(pair.y)];
      pair.counts[i * sizes[pair.y] + j]++;
      pair.n[i]++;
      pair.sum[i] += value;
      pair.least[i] = Math.min(pair.least[i], value);
      pair.most[i] = Math.max(pair.most[i], value);
    }
    for (const { x, y, n, sums } of cells) {
      const cell = places[x] * sizes[y] + places[y];
      n[cell]++;
      records.forEach((z, k) => (sums[k][cell] += part(z)));
    }
  }
  columns.forEach((column, c) => {
    column.edges = arr([sizes[c] + 1], edges[c], "f8");
    column.centers = arr([sizes[c]], edges[c].slice(1).map((edge, i) => 0.5 * (edge + edges[c][i])), "f8");
    column.counts = arr([sizes[c]], counts[c]);
    if (fixture.names[c][1]) column.lost = arr([sizes[c]], lost[c]);
  });
  const range = (pair: (typeof pairs)[number]): Arr => {
    const list = Array.from(pair.n, (n, i) => (n > 0 ? [pair.sum[i] / n, pair.least[i], pair.most[i]] : [NaN, NaN, NaN])).flat();
    return arr([sizes[pair.x], 3], list);
  };
  return {
    pairs: pairs.map((pair) => ({ x: pair.x, y: pair.y, counts: arr([sizes[pair.x], sizes[pair.y]], pair.counts), range: range(pair) })),
    cells: cells.map(({ x, y, n, sums }) => ({
      x, y, records: records.map((z, k) => ({ z, mean: arr([sizes[x], sizes[y]], sums[k].map((sum, i) => sum / n[i])) })),
    })),
  };
}
