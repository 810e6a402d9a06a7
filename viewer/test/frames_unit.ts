// Frames: their axes from three nodes, and the plots of where they are and how they are turned.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportError } from "../src/arrays";
import type { Report } from "../src/document";
import { loadReport } from "../src/load";
import { runCards } from "../src/plot/catalog";
import { continuous } from "../src/plot/series";
import { triad } from "../src/scene/triad";
import { encode } from "./encode";
import { rolling, terrain } from "./fixtures";

const load = (document: unknown): Promise<Report> => {
  const { json, base64 } = encode(document);
  return loadReport(json, base64);
};
const near = (found: ArrayLike<number>, expected: number[], within: number) =>
  expected.forEach((value, i) => assert.ok(Math.abs(found[i] - value) <= within, `${i}: ${found[i]}, not ${value}`));

test("the axes of an equilateral triangle, turned by hand", () => {
  // Corners at 0°, 120° and 240° about z, then x to y, y to z, z to x; moved to (5, 6, 7).
  const corners = [0, 120, 240].map((angle) => [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]);
  const places = Float64Array.from(corners.flatMap(([x, y]) => [5, 6 + x, 7 + y, 99]));
  const pose = new Float64Array(12);
  assert.ok(triad(places, 4, [0, 1, 2], pose));
  near(pose, [5, 6, 7, 0, 1, 0, 0, 0, 1, 1, 0, 0], 1e-14);
  // The other way round z points the other way.
  assert.ok(triad(places, 4, [0, 2, 1], pose));
  near(pose.subarray(9), [-1, 0, 0], 1e-14);
});

test("nodes in one line, at one place or nowhere have no axes", () => {
  const pose = new Float64Array(12);
  assert.equal(triad([0, 0, 0, 1, 1, 1, 3, 3, 3], 3, [0, 1, 2], pose), false);
  near(pose, [4 / 3, 4 / 3, 4 / 3], 1e-14);
  assert.equal(triad([1, 1, 1, 1, 1, 1, 1, 1, 1], 3, [0, 1, 2], pose), false);
  assert.equal(triad([NaN, 0, 0, 1, 1, 1, 3, 3, 3], 3, [0, 1, 2], pose), false);
});

test("angles go on beyond half a turn, over gaps too", () => {
  const wrapped = Float64Array.from({ length: 200 }, (_, i) => ((((17 * i + 180) % 360) + 360) % 360) - 180);
  near(continuous(wrapped, 360), Array.from({ length: 200 }, (_, i) => 17 * i), 1e-9);
  near(continuous(wrapped.map((x) => -x), 360), Array.from({ length: 200 }, (_, i) => -17 * i), 1e-9);
  const gap = continuous(Float64Array.from([170, -170, NaN, -160]), 360);
  near([gap[0], gap[1], gap[3]], [170, 190, 200], 1e-9);
  assert.ok(Number.isNaN(gap[2]));
});

test("plots show one frame at a time, in metres and degrees", async () => {
  const report = await load(terrain());
  assert.deepEqual(report.structure?.frames[1], { name: "spinner", nodes: [4, 5, 6], relativeTo: 0 });
  const [position, angles, next] = runCards(report, () => report.runs);
  assert.deepEqual([position.key, angles.key, next.key], ["frames", "frame_angles", "tensions"]);
  assert.deepEqual(position.options, ["base", "spinner in base"]);
  assert.deepEqual([position.spec.unit, angles.spec.unit], ["m", "°"]);
  assert.deepEqual(position.spec.series().map((line) => line.name), ["x", "y", "z"]);
  near(position.spec.series()[0].y, [0, 0.01, 0.02], 1e-12);
  near(angles.spec.series()[2].y, [(0.3 * 180) / Math.PI], 1e-9);
  position.choose(1);
  angles.choose(1);
  near(position.spec.series()[1].y, [0, -0.02, -0.04], 1e-12);
  // 200 rows of 0.1 rad and of -0.07 rad: three turns and two, without a jump.
  const [yaw, pitch, roll] = angles.spec.series();
  assert.deepEqual([yaw.name, pitch.name, roll.name], ["yaw", "pitch", "roll"]);
  const rows = Array.from({ length: 201 }, (_, r) => r);
  near(yaw.y, rows.map((r) => (0.1 * r * 180) / Math.PI), 1e-9);
  near(roll.y, rows.map((r) => (-0.07 * r * 180) / Math.PI), 1e-9);
});

test("frames that stand still come last", async () => {
  const report = await load(terrain());
  const values = report.runs[0].frames!;
  for (let i = 0; i < values.data.length; i += 12) values.data.set(values.data.slice(0, 6), i);
  const [position] = runCards(report, () => report.runs);
  assert.deepEqual(position.options, ["spinner in base", "base"]);
  near(position.spec.series()[1].y, [0, -0.02, -0.04], 1e-12);
  position.choose(1);
  near(position.spec.series()[1].y, [2, 2, 2], 1e-12);
});

test("a single frame stands in the title; runs without frames have no such plot", async () => {
  const document = terrain() as { structure: { frames: unknown[] }; runs: { frames?: unknown }[] };
  document.structure.frames.pop();
  delete document.runs[0].frames;
  let report = await load(document);
  assert.equal(runCards(report, () => report.runs)[0].key, "tensions");
  const whole = await load(terrain());
  report.runs[0].frames = whole.runs[0].frames;
  const [position] = runCards(report, () => report.runs);
  assert.deepEqual([position.spec.title, position.options], ["Position of frame base", []]);
  report = await load(rolling(1));
  assert.deepEqual(report.structure?.frames, []);
});

test("frames that cannot be are refused in words", async () => {
  const refused = async (change: (frame: Record<string, unknown>) => void, words: RegExp) => {
    const document = terrain() as { structure: { frames: Record<string, unknown>[] } };
    change(document.structure.frames[1]);
    await assert.rejects(load(document), (error: Error) => error instanceof ReportError && words.test(error.message));
  };
  await refused((frame) => (frame.nodes = [0, 1]), /frames\[1\]\.nodes: expected three indices/);
  await refused((frame) => (frame.nodes = [0, 1, 12]), /frames\[1\]\.nodes: 12 is not an index below 12/);
  await refused((frame) => (frame.relative_to = 2), /frames\[1\]\.relative_to: 2 is not an index below 2/);
});
