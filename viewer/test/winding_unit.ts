// Cables on drums: tangents, and how much is wound.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadReport } from "../src/load";
import { courseOf, placeCourses, turnSteps, woundAngle } from "../src/scene/winding";
import { modeRun, Track } from "../src/track";
import { Numbers } from "../src/arrays";
import { encode } from "./encode";
import { machine } from "./fixtures";

type V = number[];
const minus = (a: V, b: V): V => a.map((x, i) => x - b[i]);
const dot = (a: V, b: V): number => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a: V, b: V): V => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const size = (a: V): number => Math.hypot(...a);
const near = (a: number, b: number, what: string) => assert.ok(Math.abs(a - b) < 1e-12, `${what}: ${a}, not ${b}`);

// By the matrix of the quaternion: another way than the viewer's own.
function turned([w, x, y, z]: V, v: V): V {
  const rows = [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
  return rows.map((row) => dot(row, v));
}

async function load(options: Parameters<typeof machine>[0] = {}) {
  const { json, base64 } = encode(machine(options));
  const report = await loadReport(json, base64);
  const structure = report.structure!;
  const track = new Track(report.runs[0], structure);
  const poses = new Float64Array(7 * structure.bodies.length);
  const nodes = new Float32Array(3 * structure.nodes.names.length);
  const points = new Float64Array(3 * structure.points);
  const seek = (time: number) => {
    track.seek(time);
    track.bodies(poses);
    track.positions(nodes, 3);
    points.set(nodes);
    placeCourses(structure, poses, (cable) => track.freeLength(cable), points, 3);
  };
  const body = (i: number) => [...poses.subarray(7 * i, 7 * i + 7)];
  const place = (i: number, at: V): V => turned(body(i).slice(3), at).map((x, k) => x + body(i)[k]);
  const course = (cable: number) => courseOf(structure, cable).map((i) => [...points.subarray(3 * i, 3 * i + 3)]);
  return { structure, report, seek, body, place, course, track };
}

const times = [0, 0.31, 0.337, 1.9, 2];

test("a cable leaves its drum along a tangent and ends at its node, at rows and between them", async () => {
  const { seek, body, place, course, structure } = await load();
  for (const time of times) {
    seek(time);
    const center = place(1, [0.01, 0, 0.02]);
    const axis = turned(body(1).slice(3), [0, Math.SQRT1_2, Math.SQRT1_2]);
    const points = course(0);
    const [leaves, end] = points.slice(-2);
    const spoke = minus(leaves, center);
    near(size(spoke), 0.12, "radius");
    near(dot(spoke, axis), 0, "in the plane of the drum");
    const along = minus(end, leaves);
    near(dot(spoke, along), 0, "tangent");
    assert.ok(dot(cross(along, spoke), axis) > 0); // the side on which it winds
    const hook = structure.nodes.names.indexOf("hook");
    assert.equal(courseOf(structure, 0).at(-1), hook);
    for (const point of points.slice(0, -1)) {
      near(size(minus(point, center)), 0.12, "round the drum");
      near(dot(minus(point, center), axis), 0, "round the drum, in its plane");
    }
    // From the drum on, the wound cable goes on in the direction of the straight piece.
    const before = points.at(-3)!;
    const flat = minus(along, axis.map((x) => x * dot(along, axis)));
    assert.ok(dot(minus(leaves, before), flat) > 0.99 * size(minus(leaves, before)) * size(flat));
  }
});

test("of a cable of known length as much is wound as is not free", async () => {
  const { seek, place, course, structure, track } = await load({ length: 1.1 });
  for (const time of times) {
    seek(time);
    const free = track.freeLength(0);
    const angle = (1.1 - free) / 0.12;
    near(woundAngle(structure.pulleys[0], free), angle, "angle");
    const points = course(0).slice(0, -1);
    const center = place(1, [0.01, 0, 0.02]);
    const [a, b] = [minus(points[0], center), minus(points.at(-1)!, center)];
    near(Math.cos(angle), dot(a, b) / 0.12 ** 2, "cosine");
    assert.equal(points.length, turnSteps + 1);
  }
  assert.equal(woundAngle(structure.pulleys[0], 2), 0); // all of it is off
  assert.equal(woundAngle({ ...structure.pulleys[0], length: 0 }, 2), 2 * Math.PI);
});

test("a belt touches both drums, on the same side or crossed", async () => {
  for (const crossed of [false, true]) {
    const { seek, place, course } = await load({ crossed });
    for (const time of times) {
      seek(time);
      const [first, second] = [place(2, [0, 0, 0]), place(3, [0.01, 0, 0])];
      const points = course(1);
      const [leaves, meets] = [points[turnSteps], points[turnSteps + 1]];
      const along = minus(meets, leaves);
      const [a, b] = [minus(leaves, first), minus(meets, second)];
      near(size(a), 0.2, "first radius");
      near(size(b), 0.1, "second radius");
      // In the plane of the drums; they may be out of line along the axis.
      const flat = [along[0], 0, along[2]];
      near(dot(a, flat), 0, "tangent to the first");
      near(dot(b, flat), 0, "tangent to the second");
      near(dot(a, b) / 0.02, crossed ? -1 : 1, "side");
      near(size(flat) ** 2, (second[0] - first[0]) ** 2 + (second[2] - first[2]) ** 2 - (crossed ? 0.3 : 0.1) ** 2, "length");
      // It winds on in the direction in which it comes.
      assert.ok(dot(minus(points[turnSteps + 2], meets), along) > 0);
    }
  }
});

test("quaternions that change sign between rows do not turn a body round", async () => {
  const { report, structure } = await load();
  const data = report.runs[0].bodies!.data as Float32Array;
  for (let i = 0; i < data.length; i += 14) for (let k = 3; k < 7; k++) data[i + k] *= -1;
  const track = new Track(report.runs[0], structure);
  const poses = new Float64Array(35);
  for (let row = 0; row < 50; row++) {
    const [low, middle] = [0, 0.02].map((later) => {
      track.seek(row / 25 + later);
      track.bodies(poses);
      return [...poses.subarray(3 + 14, 7 + 14)];
    });
    assert.ok(Math.abs(Math.abs(dot(low, middle)) - Math.cos(0.05)) < 1e-4); // a quarter of 0.2 rad
  }
});

test("a mode turns bodies about their rotation vector", async () => {
  const { structure } = await load();
  const shape = new Numbers([2, 3], () => Float64Array.from([0, 0, 0, 0, 0, 2]));
  const rates = new Float64Array(30);
  rates.set([0.5, 0, 0, 0, 3, 0], 12);
  const run = modeRun(structure, shape, 0.1, "", null, new Numbers([5, 6], () => rates));
  const pose = Array.from({ length: 7 }, (_, k) => run.bodies!.get(15, 14 + k)); // the largest swing: 0.05 times the rates
  [1.225, 0.2, 0.5, Math.cos(0.075), 0, Math.sin(0.075), 0].forEach((x, k) => assert.ok(Math.abs(pose[k] - x) < 1e-6));
});

test("a report that is wrong about pulleys is refused with the place", async () => {
  const broken = async (change: (structure: Record<string, Record<string, unknown>[]>) => void, message: RegExp) => {
    const document = machine() as { structure: Record<string, Record<string, unknown>[]> };
    change(document.structure);
    const { json, base64 } = encode(document);
    await assert.rejects(loadReport(json, base64), message);
  };
  await broken((s) => (s.pulleys[0].cable = 7), /structure\.pulleys\[0\]\.cable: 7 is not an index below 2/);
  await broken((s) => (s.pulleys[1].second = { body: 9 }), /structure\.pulleys\[1\]\.second\.body: 9 is not an index below 5/);
  await broken((s) => (s.solids[0].shape = "cone"), /structure\.solids\[0\]\.shape: "cone" is not box/);
  await broken((s) => delete s.solids[0].shape, /structure\.solids\[0\]\.shape: missing/);
  await broken((s) => (s.bodies[0].pose = [1, 2]), /structure\.bodies\[0\]\.pose: expected 7 numbers/);
});
