// Reads the part of a document that describes a sweep. What does not fit is named in a ReportError.
import { ReportError, type Numbers } from "../arrays";
import { array, indices, list, number, readTexts, record, text, type Json } from "../read";
import { statusNames, type Cells, type Column, type Failure, type Pair, type Sweep } from "./data";

export function readSweep(json: Json, bytes: Uint8Array): Sweep {
  const columns = list(json.columns, "sweep.columns").map((entry, i) =>
    readColumn(record(entry, `sweep.columns[${i}]`), bytes, `sweep.columns[${i}]`),
  );
  const table = record(json.table, "sweep.table");
  const need = (key: string, shape: number[]): Numbers => {
    const found = array(table[key], shape, bytes, `sweep.table.${key}`);
    if (!found) throw new ReportError(`sweep.table.${key}: missing`);
    return found;
  };
  const run = need("run", [-1]);
  const kept = run.length;
  const reasons = readTexts(table.reasons, "sweep.table.reasons");
  const counts = list(json.counts, "sweep.counts").map((count) => whole(count));
  const rows = whole(json.rows);
  const sizes = columns.map((column) => column.bins?.centers.length ?? 0);
  return {
    study: text(json.study),
    model: text(json.model),
    planned: whole(json.planned),
    rows,
    links: json.links === true,
    complete: json.complete === true,
    counts: statusNames.map((_, i) => counts[i] ?? 0),
    columns,
    failures: list(json.failures, "sweep.failures").map((entry, i) => readFailure(record(entry, `sweep.failures[${i}]`))),
    otherFailures: whole(json.other_failures),
    run,
    values: need("values", [kept, columns.length]),
    status: need("status", [kept]),
    reason: need("reason", [kept]),
    reasons,
    pairs: list(json.pairs, "sweep.pairs").map((entry, i) => readPair(record(entry, `sweep.pairs[${i}]`), bytes, sizes, `sweep.pairs[${i}]`)),
    cells: list(json.cells, "sweep.cells").map((entry, i) => readCells(record(entry, `sweep.cells[${i}]`), bytes, sizes, `sweep.cells[${i}]`)),
  };
}

function whole(value: unknown): number {
  return Math.max(0, Math.round(number(value, 0)));
}

function readColumn(json: Json, bytes: Uint8Array, where: string): Column {
  const edges = array(json.edges, [-1], bytes, `${where}.edges`);
  const count = edges ? edges.length - 1 : 0;
  const of = (key: string) => (edges ? array(json[key], [count], bytes, `${where}.${key}`) : null);
  const centers = of("centers");
  const distinct = number(json.distinct, Infinity);
  return {
    name: text(json.name),
    parameter: json.parameter === true,
    log: json.log === true,
    count: whole(json.count),
    low: number(json.low, NaN),
    high: number(json.high, NaN),
    mean: number(json.mean, NaN),
    distinct,
    bins: edges && centers ? { edges: edges.data, centers: centers.data, exact: distinct <= count } : null,
    counts: of("counts"),
    lost: of("lost"),
  };
}

function readFailure(json: Json): Failure {
  return {
    reason: text(json.reason),
    status: Math.min(3, whole(json.status)),
    count: whole(json.count),
    run: whole(json.run),
    alike: json.alike === true,
  };
}

function readPair(json: Json, bytes: Uint8Array, sizes: number[], where: string): Pair {
  const [x, y] = indices([json.x, json.y], sizes.length, where);
  const counts = array(json.counts, [sizes[x], sizes[y]], bytes, `${where}.counts`);
  const range = array(json.range, [sizes[x], 3], bytes, `${where}.range`);
  if (!counts || !range) throw new ReportError(`${where}: counts or range are missing`);
  return { x, y, counts, range };
}

function readCells(json: Json, bytes: Uint8Array, sizes: number[], where: string): Cells {
  const [x, y] = indices([json.x, json.y], sizes.length, where);
  const records = list(json.records, `${where}.records`).map((entry, i) => {
    const place = `${where}.records[${i}]`;
    const item = record(entry, place);
    const [z] = indices([item.z], sizes.length, place);
    const mean = array(item.mean, [sizes[x], sizes[y]], bytes, `${place}.mean`);
    if (!mean) throw new ReportError(`${place}.mean: missing`);
    return { z, mean };
  });
  return { x, y, records };
}
