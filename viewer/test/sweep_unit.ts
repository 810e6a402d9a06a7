// Sweeps without a page: bins, statistics in them, filters, and what is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportError } from "../src/arrays";
import { loadReport } from "../src/load";
import { Axis } from "../src/plot/axes";
import { binOf, countIn, makeBins, meansIn, rangesIn } from "../src/sweep/bins";
import { grouped } from "../src/sweep/chart";
import type { Sweep } from "../src/sweep/data";
import { read } from "../src/sweep/filters";
import { firstParameters } from "../src/sweep/heat";
import { Table } from "../src/sweep/table";
import { arr, encode } from "./encode";
import { prismSweep, random, sweepDocument, towerSweep, type SweepFixture } from "./sweep_fixtures";

const all = () => true;

async function through(document: unknown): Promise<Sweep> {
  const { json, base64 } = encode(document);
  return (await loadReport(json, base64)).sweep!;
}

test("few values that repeat have a bin each; others share bins of equal width", () => {
  const grid = Array.from({ length: 60 }, (_, i) => [1, 10, 100][i % 3]);
  const plain = makeBins(grid, all, { log: false, most: 8, values: 20 })!;
  assert.deepEqual(plain.centers, [1, 10, 100]);
  assert.deepEqual(plain.edges, [-3.5, 5.5, 55, 145]);
  assert.ok(plain.exact);
  const log = makeBins(grid, all, { log: true, most: 8, values: 20 })!;
  Array.from(log.edges).forEach((edge, i) => assert.ok(Math.abs(edge / [10 ** -0.5, 10 ** 0.5, 10 ** 1.5, 10 ** 2.5][i] - 1) < 1e-12));
  const next = random(1);
  const spread = Array.from({ length: 500 }, () => 10 ** (4 * next() - 2));
  const wide = makeBins(spread, all, { log: true, most: 10, values: 20 })!;
  assert.equal(wide.centers.length, 10);
  for (let i = 1; i < 10; i++) assert.ok(Math.abs(wide.edges[i + 1] / wide.edges[i] / (wide.edges[i] / wide.edges[i - 1]) - 1) < 1e-9);
  // A single parameter: every value its own place, though none repeats.
  const line = makeBins([3, 1, 2, 5], all, { log: false, most: 2, values: 20, single: true })!;
  assert.deepEqual(line.centers, [1, 2, 3, 5]);
  assert.equal(makeBins([3, 1, 2, 5], all, { log: false, most: 2, values: 20 })!.centers.length, 2);
  assert.equal(makeBins([NaN, -1], (i) => i === 0, { log: false, most: 2, values: 20 }), null);
  assert.deepEqual(makeBins([0, 0], all, { log: false, most: 9, values: 20 })!.edges, [-0.5, 0.5]);
});

test("every value lies in its bin, and only what belongs is counted", () => {
  const next = random(2);
  const x = Array.from({ length: 2000 }, () => next() ** 3 - 0.2);
  const bins = makeBins(x, all, { log: false, most: 17, values: 9 })!;
  for (const value of x) {
    const at = binOf(bins, value);
    assert.ok(bins.edges[at] <= value && value <= bins.edges[at + 1]);
  }
  for (const outside of [NaN, Infinity, -1, 2]) assert.equal(binOf(bins, outside), -1);
  const even = (i: number) => i % 2 === 0;
  assert.equal(countIn(bins, x, even).reduce((sum, n) => sum + n, 0), 1000);
});

test("mean, least and most, and means in cells, against sums by hand", () => {
  const next = random(3);
  const [x, y, z] = [0, 1, 2].map(() => Array.from({ length: 900 }, () => Math.floor(5 * next())));
  z[7] = NaN;
  const [across, up] = [x, y].map((values) => makeBins(values, all, { log: false, most: 3, values: 9 })!);
  const ranges = rangesIn(across, x, z, all);
  const { mean, count } = meansIn(across, up, x, y, z, all);
  for (let i = 0; i < 5; i++) {
    const inside = z.filter((value, row) => x[row] === i && !Number.isNaN(value));
    assert.equal(ranges.count[i], inside.length);
    assert.ok(Math.abs(ranges.mean[i] - inside.reduce((a, b) => a + b, 0) / inside.length) < 1e-12);
    assert.equal(ranges.low[i], Math.min(...inside));
    assert.equal(ranges.high[i], Math.max(...inside));
    for (let j = 0; j < 5; j++) {
      const cell = z.filter((value, row) => x[row] === i && y[row] === j && !Number.isNaN(value));
      assert.equal(count[5 * i + j], cell.length);
      assert.ok(Math.abs(mean[5 * i + j] - cell.reduce((a, b) => a + b, 0) / cell.length) < 1e-12);
    }
  }
  const none = rangesIn(across, x, z, () => false);
  assert.ok(Number.isNaN(none.mean[0]) && Number.isNaN(none.low[0]) && Number.isNaN(none.high[0]));
});

test("filters leave the rows between their ends; lost runs stay out of statistics", async () => {
  const table = new Table(await through(sweepDocument(prismSweep())));
  assert.equal(table.rows, 200);
  let heard = 0;
  table.on("filter", () => heard++);
  table.filter(0, [-15, 15]);
  table.filter(1, [0, 10]);
  const rows = [...prismSweep().rows];
  const kept = rows.filter(({ values }) => Math.abs(values[0]) <= 15 && values[1] <= 10);
  assert.equal(table.shownCount, kept.length);
  assert.ok(kept.length > 0 && kept.length < 200);
  table.clearFilters();
  assert.equal(table.shownCount, 200);
  assert.equal(heard, 3);
  // A filter on a record takes away the runs that have none.
  table.filter(2, [-Infinity, Infinity]);
  assert.equal(table.shownCount, 191);
  assert.ok(table.isLost(3) && !table.counts(3) && table.counts(0));
  assert.equal(table.reason(3), rows[3].reason);
  assert.equal(table.rowOf(57), 57);
  assert.deepEqual(firstParameters(table), { x: 0, y: 1, few: true });
});

test("a large table has its counts, and means that agree with its rows", async () => {
  const fixture = towerSweep(3000);
  const sweep = await through(sweepDocument(fixture, 500, 20));
  const table = new Table(sweep);
  assert.ok(!sweep.complete && table.binned);
  assert.equal(sweep.rows, 3000);
  const rows = [...fixture.rows];
  const pair = sweep.pairs.find(({ x, y }) => x === 2 && y === 3)!;
  const [low, high] = table.range(3);
  for (let level = 3; level < 9; level++) {
    const inside = rows.filter(({ values, status }) => values[2] === level && status === 0).map(({ values }) => values[3]);
    assert.equal(sweep.columns[2].counts!.data[level - 3], inside.length);
    const mean = inside.reduce((a, b) => a + b, 0) / inside.length;
    assert.ok(Math.abs(low + pair.range.get(level - 3, 0) * (high - low) - mean) < 1e-5 * (high - low));
  }
  table.filter(2, [3, 4]);
  assert.ok(!table.binned);
});

test("what does not fit is refused with its place", async () => {
  const refuse = async (change: (sweep: Record<string, any>) => void, words: RegExp, fixture: SweepFixture = prismSweep(), most = 20000) => {
    const document = sweepDocument(fixture, most) as { sweep: Record<string, any> };
    change(document.sweep);
    await assert.rejects(through(document), (error: Error) => error instanceof ReportError && words.test(error.message));
  };
  await refuse((sweep) => delete sweep.table.values, /sweep\.table\.values: missing/);
  await refuse((sweep) => delete sweep.table, /sweep\.table: expected an object/);
  await refuse((sweep) => (sweep.table.status = arr([3], [0, 0, 0])), /the shape is 3, expected 200/);
  await refuse((sweep) => sweep.columns.pop(), /the shape is 200 × 4, expected 200 × 3/);
  await refuse((sweep) => (sweep.pairs[0].x = 9), /9 is not an index below 5/, towerSweep(300), 100);
  await refuse((sweep) => (sweep.cells[0].records[0].mean = arr([1], [1])), /cells\[0\]\.records\[0\]\.mean: the shape/, towerSweep(300), 100);
});

test("numbers that people write, counts that they read, ticks of few decades", () => {
  assert.deepEqual(["1,5", "−2", " 1e3 ", "", "x", "1.2.3"].map((text) => read(text, 7)), [1.5, -2, 1000, 7, NaN, NaN]);
  assert.deepEqual([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1\u202f000", "1\u202f234\u202f567"]);
  const axis = new Axis(true);
  axis.setSpan(1000.5, 99000, 0);
  assert.deepEqual(axis.ticks(5).map(({ value }) => value), [2000, 5000, 10000, 20000, 50000]);
  axis.setSpan(2.1, 4.4, 0);
  assert.ok(axis.ticks(5).length >= 3);
});
