// Which plots a report has: from the columns of its runs, and those that it brings along.
import type { Numbers } from "../arrays";
import { energyNames, type Channels, type PlotData, type Report, type Run } from "../document";
import { Track } from "../track";
import type { PlotSpec } from "./plot";
import { continuous, envelope, largestColumns, lineOf, strains, type Series } from "./series";

export interface Card {
  key: string;
  spec: PlotSpec;
  options: string[]; // what of many columns is shown; empty: no choice
  choose: (index: number) => void;
}

// The runs to be drawn: the first in full lines, the others dashed.
export type Compared = () => Run[];

const few = 8; // so many columns are all drawn

export function runCards(report: Report, compared: Compared): Card[] {
  const first = compared()[0];
  if (!first) return [];
  const cables = report.structure?.cables.names ?? [];
  const bars = report.structure?.bars.names ?? [];
  const still = report.structure?.cables.restLengths ?? [];
  const cards: (Card | null)[] = [
    ...frameCards(report, compared),
    columnsCard("tensions", "Cable tensions", "N", cables, compared, (run) => run.tensions),
    channelsCard("errors", "Tracking errors", compared, (run) => run.errors),
    channelsCard("inputs", "Inputs", compared, (run) => run.inputs),
    first.nodes && report.structure ? centerCard(report, compared) : null,
    first.energy ? energyCard(compared) : null,
    first.energy ? driftCard(compared) : null,
    columnsCard("strains", "Cable strains", "%", cables, compared, (run) =>
      run.lengths ? strains(run.lengths, run.restLengths, still) : null,
    ),
    columnsCard("bar_forces", "Bar forces (tension positive)", "N", bars, compared, (run) => run.barForces),
    channelsCard("targets", "Targets", compared, (run) => run.targets),
    first.contactForces ? totalCard("contact", "Contact force, whole", compared, (run) => run.contactForces) : null,
    first.supportForces ? totalCard("support", "Support force, whole", compared, (run) => run.supportForces) : null,
    first.constraintError
      ? plainCard("constraint_error", "Constraint error", "m", compared, (run, x) =>
          run.constraintError ? [lineOf("largest violation", x, run.constraintError.data, 0)] : [],
        )
      : null,
  ];
  return cards.filter((card) => card !== null);
}

export function documentCard(plot: PlotData, key: string): Card {
  const series = (): Series[] =>
    plot.series.map((each, i) => ({
      name: each.name || `line ${i + 1}`,
      x: each.x.data,
      y: each.y.data,
      // Published points take the colour of the line before them.
      color: each.published ? plot.series.slice(0, i + 1).filter((one) => !one.published).length - 1 : ours(plot, i),
      style: each.style,
      published: each.published,
    }));
  return {
    key,
    options: [],
    choose: () => undefined,
    spec: {
      title: plot.title,
      xLabel: plot.xLabel,
      unit: plot.yLabel,
      xLog: plot.xLog,
      yLog: plot.yLog,
      time: plot.time,
      series,
    },
  };
}

function ours(plot: PlotData, index: number): number {
  return plot.series.slice(0, index).filter((one) => !one.published).length;
}

type Lines = (run: Run, x: Float64Array) => Series[];

export function timeSpec(title: string, unit: string, compared: Compared, lines: Lines): PlotSpec {
  const series = () => {
    const runs = compared();
    return runs.flatMap((run, i) => {
      const found = lines(run, run.t.column(0));
      if (i === 0) return found;
      return found
        .filter((line) => !line.upper)
        .map((line) => ({ ...line, name: `${line.name} · ${run.label}`, style: "dashed" as const }));
    });
  };
  return { title, xLabel: "time, s", unit, xLog: false, yLog: false, time: true, series };
}

function plainCard(key: string, title: string, unit: string, compared: Compared, lines: Lines): Card {
  return { key, spec: timeSpec(title, unit, compared, lines), options: [], choose: () => undefined };
}

// Many columns: the largest few and the band of all; or as chosen.
function columnsCard(
  key: string,
  title: string,
  unit: string,
  names: string[],
  compared: Compared,
  valuesOf: (run: Run) => Numbers | null,
): Card | null {
  const first = compared()[0];
  const probe = first ? valuesOf(first) : null;
  if (!probe || probe.rowLength === 0) return null;
  const columns = probe.rowLength;
  const kept = new Map<Run, { values: Numbers; band: ReturnType<typeof envelope> | null; order: number[] }>();
  const of = (run: Run) => {
    let entry = kept.get(run);
    const values = entry?.values ?? valuesOf(run);
    if (!values) return null;
    if (!entry) kept.set(run, (entry = { values, band: null, order: largestColumns(values, 24) }));
    return entry;
  };
  let shown = columns <= few ? columns : 5;
  const lines: Lines = (run, x) => {
    const entry = of(run);
    const order = of(compared()[0])?.order;
    if (!entry || !order) return [];
    const chosen = columns <= few ? Array.from({ length: columns }, (_, i) => i) : order.slice(0, shown);
    const out: Series[] = chosen.map((c, i) => lineOf(names[c] ?? `${c + 1}`, x, entry.values.column(c), i));
    if (columns > few) {
      entry.band ??= envelope(entry.values);
      out.unshift({ ...lineOf(`all ${columns}`, x, entry.band.low, -1), upper: entry.band.high });
    }
    return out;
  };
  const counts = [5, 0, 10, 24].filter((count) => count <= columns);
  return {
    key,
    spec: timeSpec(title, unit, compared, lines),
    options: columns <= few ? [] : counts.map((count) => (count === 0 ? "range only" : `largest ${count}`)),
    choose: (index) => (shown = counts[index]),
  };
}

function channelsCard(key: string, title: string, compared: Compared, of: (run: Run) => Channels | null): Card | null {
  const first = compared()[0];
  const channels = first ? of(first) : null;
  if (!channels) return null;
  return columnsCard(key, title, channels.unit, channels.names, compared, (run) => of(run)?.values ?? null);
}

// Where the frames are and how they are turned, one frame at a time. They were asked for by name: they come first, and
// of them those that move.
function frameCards(report: Report, compared: Compared): Card[] {
  const frames = report.structure?.frames ?? [];
  const poses = compared()[0]?.frames;
  if (frames.length === 0 || !poses) return [];
  const still = frames.map((_, i) => [0, 1, 2, 3, 4, 5].every((k) => steady(poses.column(6 * i + k))));
  const order = [...frames.keys()].sort((a, b) => Number(still[a]) - Number(still[b]) || a - b);
  const words = order.map((i) => {
    const { name, relativeTo } = frames[i];
    return relativeTo < 0 ? name : `${name} in ${frames[relativeTo].name}`;
  });
  const card = (key: string, title: string, unit: string, names: string[], column: (values: Numbers, at: number) => Float64Array): Card => {
    let shown = 0;
    const lines: Lines = (run, x) => {
      const values = run.frames;
      return values ? names.map((name, k) => lineOf(name, x, column(values, 6 * order[shown] + k), k)) : [];
    };
    // A single frame stands in the title, several in the choice.
    const whole = frames.length > 1 ? title : `${title} ${words[0]}`;
    const spec = timeSpec(whole, unit, compared, lines);
    return { key, spec, options: frames.length > 1 ? words : [], choose: (index) => (shown = index) };
  };
  const degrees = (values: Numbers, at: number) => continuous(values.column(at).map((angle) => (angle * 180) / Math.PI), 360);
  return [
    card("frames", "Position of frame", "m", ["x", "y", "z"], (values, at) => values.column(at)),
    card("frame_angles", "Angles of frame", "°", ["yaw", "pitch", "roll"], (values, at) => degrees(values, at + 3)),
  ];
}

// Whether nothing changes by more than rounding, of m or rad.
function steady(values: Float64Array): boolean {
  return values.every((value) => Math.abs(value - values[0]) < 1e-7);
}

// The mean of all nodes, and the node that is chosen in the scene has its own plots there.
function centerCard(report: Report, compared: Compared): Card {
  const count = report.structure?.nodes.names.length ?? 0;
  return plainCard("center", "Centre of the nodes", "m", compared, (run, x) => {
    const track = new Track(run, report.structure);
    const places = new Float32Array(3 * count);
    const center = [0, 1, 2].map(() => new Float64Array(track.rows));
    for (let r = 0; r < track.rows; r++) {
      track.row = r;
      track.part = 0;
      track.positions(places, 3);
      for (let i = 0; i < places.length; i++) center[i % 3][r] += places[i] / count;
    }
    return ["x", "y", "z"].map((name, k) => lineOf(name, x, center[k], k));
  });
}

function energyCard(compared: Compared): Card {
  return plainCard("energy", "Energy", "J", compared, (run, x) => {
    const energy = run.energy;
    if (!energy) return [];
    const lines = energyNames.map((name, k) => lineOf(name, x, energy.column(k), k));
    // Columns that are nothing throughout are left out, but never all.
    const some = lines.filter((line) => Array.prototype.some.call(line.y, (value: number) => value !== 0));
    return some.length > 0 ? some.map((line) => (line.name === "balance" ? { ...line, width: 2.4 } : line)) : lines;
  });
}

function driftCard(compared: Compared): Card {
  return plainCard("drift", "Energy balance, change since the start", "J", compared, (run, x) => {
    const balance = run.energy?.column(6);
    return balance ? [lineOf("change of the balance", x, balance.map((value) => value - balance[0]), 0)] : [];
  });
}

// The sum of forces over all nodes.
function totalCard(key: string, title: string, compared: Compared, of: (run: Run) => Numbers | null): Card {
  return plainCard(key, title, "N", compared, (run, x) => {
    const forces = of(run);
    if (!forces) return [];
    const sums = [0, 1, 2].map(() => new Float64Array(forces.shape[0]));
    const data = forces.data;
    for (let i = 0; i < data.length; i++) sums[i % 3][Math.floor(i / forces.rowLength)] += data[i];
    return ["x", "y", "z"].map((name, k) => lineOf(name, x, sums[k], k));
  });
}
