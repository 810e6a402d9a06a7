// Tracks, the clock, mode shapes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Numbers } from "../src/arrays";
import { Clock } from "../src/clock";
import { loadReport } from "../src/load";
import { measure } from "../src/scene/extent";
import { modeRun, Track } from "../src/track";
import { arr, encode } from "./encode";
import { model, rolling } from "./fixtures";

const load = (document: unknown) => {
  const { json, base64 } = encode(document);
  return loadReport(json, base64);
};

test("rows are found at their times, up to rounding", async () => {
  const report = await load(rolling(1));
  const track = new Track(report.runs[0], report.structure);
  for (let row = 0; row < track.rows; row++) {
    assert.equal(track.rowAt(row / 100), row);
    assert.equal(track.rowAt(row / 100 + 0.004), row);
  }
  assert.equal(track.rowAt(-5), 0);
  assert.equal(track.rowAt(99), 100);
});

test("between rows positions are linear, and the origin is added", async () => {
  const document = rolling(1) as { runs: Record<string, unknown>[] };
  document.runs[0].origin = arr([101, 3], Array.from({ length: 303 }, (_, i) => (i % 3) * Math.floor(i / 3)));
  const report = await load(document);
  const track = new Track(report.runs[0], report.structure);
  const [low, high, middle] = [0, 1, 2].map(() => new Float32Array(4 * 12));
  track.seek(0.3);
  track.positions(low, 4);
  track.seek(0.31);
  track.positions(high, 4);
  track.seek(0.3025);
  track.positions(middle, 4);
  for (let i = 0; i < 48; i++) assert.ok(Math.abs(middle[i] - (0.75 * low[i] + 0.25 * high[i])) < 1e-5);
  const plain = report.runs[0].nodes!;
  assert.ok(Math.abs(low[1] - (plain.get(30, 1) + 30)) < 1e-5);
  assert.ok(Math.abs(low[2] - (plain.get(30, 2) + 60)) < 1e-5);
});

test("slackness is rest length over length where that exceeds 1", async () => {
  const report = await load(rolling(1));
  const track = new Track(report.runs[0], report.structure);
  const state = new Float32Array(4 * 24);
  for (const time of [0, 0.5, 1]) {
    track.seek(time);
    track.cables(state);
    for (let c = 0; c < 24; c++) {
      const length = report.runs[0].lengths!.get(track.row, c);
      assert.ok(Math.abs(state[4 * c + 1] - Math.max(1, 0.57 / length)) < 1e-5);
    }
  }
});

test("a mode shape swings by its amplitude and ends where it began", async () => {
  const { structure } = await load(model());
  const shape = new Numbers([6, 3], () => Float64Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0]));
  const run = modeRun(structure!, shape, 0.2, "x", null);
  const at = (row: number) => [0, 1, 2].map((k) => run.nodes!.get(row, 9 + k) - structure!.nodes.positions.data[9 + k]);
  assert.ok(at(0).every((x) => Math.abs(x) < 1e-6) && at(60).every((x) => Math.abs(x) < 1e-6));
  assert.ok(Math.abs(Math.hypot(...at(15)) - 0.2) < 1e-6);
  assert.ok(Math.abs(at(15)[0] / at(15)[2] - 0.75) < 1e-5);
  assert.ok(Math.abs(at(15)[0] + at(45)[0]) < 1e-6);
});

test("the clock plays, loops, stops at the end, and starts over", () => {
  const clock = new Clock();
  clock.setSpan(1, 3);
  assert.deepEqual([clock.time, clock.playing], [1, false]);
  clock.toggle();
  clock.speed = 0.5;
  clock.advance(1);
  assert.equal(clock.time, 1.5);
  clock.advance(4);
  assert.equal(clock.time, 1.5);
  clock.loop = false;
  clock.advance(10);
  assert.deepEqual([clock.time, clock.playing], [3, false]);
  clock.toggle();
  assert.deepEqual([clock.time, clock.playing], [1, true]);
  clock.setSpan(0, 0);
  clock.toggle();
  assert.equal(clock.playing, false);
  clock.seek(7);
  assert.equal(clock.time, 0);
});

test("extents: the structure, its way, and infinite values left out", async () => {
  const report = await load(rolling(4));
  const extent = measure(report.structure!, [new Track(report.runs[0], report.structure)]);
  assert.ok(extent.travel > 2.1 && extent.travel < 2.4);
  assert.ok(extent.size > 1.3 && extent.size < 1.8);
  assert.ok(Math.abs(extent.low[2]) < 1e-4);
  report.structure!.nodes.positions.data.fill(NaN);
  report.runs[0].nodes!.data.fill(NaN);
  assert.equal(measure(report.structure!, [new Track(report.runs[0], report.structure)]).size, 1);
});
