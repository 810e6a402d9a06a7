// Reports made up for the tests: motions that are easy to predict rather than simulated.
import { arr, type Arr } from "./encode";

type Vec = [number, number, number];

// Expanded octahedron: six bars of length 1 in three parallel pairs, 24 cables.
export function sixBar(): { nodes: Vec[]; bars: [number, number][]; cables: [number, number][] } {
  const nodes: Vec[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-0.25, 0.25]) {
      for (const end of [-0.5, 0.5]) {
        const place: Vec = [0, 0, 0];
        place[axis] = end;
        place[(axis + 1) % 3] = side;
        nodes.push(place);
      }
    }
  }
  const bars = Array.from({ length: 6 }, (_, i): [number, number] => [2 * i, 2 * i + 1]);
  const cables: [number, number][] = [];
  for (let i = 0; i < 12; i++) {
    for (let j = i + 1; j < 12; j++) {
      const far = Math.hypot(...nodes[i].map((x, k) => x - nodes[j][k]));
      if (far > 0.55 && far < 0.65) cables.push([i, j]);
    }
  }
  return { nodes, bars, cables };
}

function structure(nodes: Vec[], bars: [number, number][], cables: number[][], radius: number): Record<string, unknown> {
  return {
    nodes: { names: nodes.map((_, i) => `n${i + 1}`), positions: arr([nodes.length, 3], nodes.flat(), "f8"), fixed: nodes.map(() => 0) },
    bars: { names: bars.map(([a, b]) => `n${a + 1}-n${b + 1}`), a: bars.map(([a]) => a), b: bars.map(([, b]) => b), radius: bars.map(() => radius) },
    cables: { names: cables.map((path) => path.map((i) => `n${i + 1}`).join("-")), paths: cables, rest_lengths: cables.map(() => 0.57) },
    loads: [],
    gravity: [0, 0, -9.81],
  };
}

// The six-bar rolling along x without slipping past the ground, for `seconds` at 100 rows a second.
export function rolling(seconds = 4, phase = 0): Record<string, unknown> {
  const { nodes, bars, cables } = sixBar();
  const rows = Math.round(100 * seconds) + 1;
  const t = Array.from({ length: rows }, (_, r) => r / 100);
  const places: number[] = [];
  const contact: number[] = [];
  const tensions: number[] = [];
  const lengths: number[] = [];
  const energy: number[] = [];
  for (const time of t) {
    const angle = 1.2 * time + phase;
    const turned = nodes.map(([x, y, z]): Vec => [
      Math.cos(angle) * x + Math.sin(angle) * z, y + 0.1 * Math.sin(time), -Math.sin(angle) * x + Math.cos(angle) * z,
    ]);
    const low = Math.min(...turned.map((p) => p[2]));
    for (const [x, y, z] of turned) {
      places.push(x + 0.55 * time, y, z - low);
      const pressed = z - low < 0.01;
      contact.push(pressed ? -4 : 0, 0, pressed ? 30 + 5 * Math.sin(5 * time) : 0);
    }
    cables.forEach((_, c) => {
      const pull = Math.max(0, 20 + 28 * Math.sin(2 * time + c));
      tensions.push(pull);
      lengths.push(pull > 0 ? 0.57 + pull / 500 : 0.53);
    });
    energy.push(3 + Math.sin(time), 5 - Math.sin(time), 20, 0.4, 0.1 * time, 0.1 * time, 28.4 + 1e-6 * time);
  }
  return {
    format: 1,
    generator: "taut 0.1.0",
    title: "six-bar robot, rolling",
    subtitle: "nodal formulation, 4 s",
    kind: "run",
    structure: { ...structure(nodes, bars, cables, 0.018), ground: { height: 0, normal: [0, 0, 1] } },
    runs: [
      {
        label: "nodal",
        t: arr([rows], t, "f8"),
        nodes: arr([rows, 12, 3], places, "i2"),
        tensions: arr([rows, cables.length], tensions, "i2"),
        lengths: arr([rows, cables.length], lengths, "i2"),
        energy: arr([rows, 7], energy),
        constraint_error: arr([rows], t.map((time) => 1e-13 * (1 + Math.sin(9 * time)))),
        contact_forces: arr([rows, 12, 3], contact, "i2"),
        inputs: { names: ["n1-n5", "n2-n8"], unit: "m", values: arr([rows, 2], t.flatMap((x) => [0.57 + 0.1 * Math.sin(x), 0.57])) },
        slack_events: [{ time: 0.8, cable: 3, kind: "slack" }, { time: 1.4, cable: 3, kind: "taut" }, { time: 2.2, cable: 7, kind: "slack" }],
      },
    ],
    tables: [{ title: "Summary", rows: [["status", "done"], ["steps", "4012"], ["energy drift", "3.1e-10"]] }],
    warnings: ["2 cables went slack, the first (n1-n9) at 0.8 s."],
    notes: ["Contact is compliant: nodes sink into the ground by a fraction of a millimetre."],
  };
}

// `bars` bars and three times as many cables: rings of 20 bars that sway.
export function tower(bars = 1000, seconds = 10, step = 0.01): Record<string, unknown> {
  const around = 20;
  const stages = bars / around;
  const nodes: Vec[] = [];
  for (let s = 0; s < stages; s++) {
    for (const end of [0, 1]) {
      for (let i = 0; i < around; i++) {
        const angle = (2 * Math.PI * (i + (end ? 3.2 : 0) + s * 0.5)) / around;
        nodes.push([2 * Math.cos(angle), 2 * Math.sin(angle), s * 0.8 + end * 1.1]);
      }
    }
  }
  const rods: [number, number][] = [];
  const cables: number[][] = [];
  for (let s = 0; s < stages; s++) {
    const base = 2 * around * s;
    for (let i = 0; i < around; i++) {
      rods.push([base + i, base + around + i]);
      cables.push([base + i, base + ((i + 1) % around)], [base + around + i, base + around + ((i + 1) % around)]);
      cables.push([base + ((i + 1) % around), base + around + i]);
    }
  }
  const rows = Math.round(seconds / step) + 1;
  const count = nodes.length;
  const places = new Float32Array(rows * count * 3);
  const tensions = new Float32Array(rows * cables.length);
  const lengths = new Float32Array(rows * cables.length);
  const height = stages * 0.8;
  for (let r = 0; r < rows; r++) {
    const sway = Math.sin(2 * r * step);
    for (let n = 0; n < count; n++) {
      const z = nodes[n][2];
      places[3 * (r * count + n)] = nodes[n][0] + 0.12 * height * sway * (z / height) ** 2;
      places[3 * (r * count + n) + 1] = nodes[n][1] + 0.02 * Math.sin(7 * r * step + z);
      places[3 * (r * count + n) + 2] = z;
    }
    for (let c = 0; c < cables.length; c++) {
      tensions[r * cables.length + c] = Math.max(0, 60 + 50 * sway * Math.cos(c) + 20 * Math.sin(0.01 * c));
      lengths[r * cables.length + c] = 0.6 + 0.01 * Math.sin(c + r * step);
    }
  }
  const described = structure(nodes, rods, cables, 0.035);
  (described.nodes as { fixed: number[] }).fixed = nodes.map((_, i) => (i < around ? 7 : 0));
  return {
    format: 1,
    generator: "taut 0.1.0",
    title: `tower of ${bars} bars`,
    subtitle: "nodal formulation",
    kind: "run",
    structure: { ...described, ground: { height: 0, normal: [0, 0, 1] } },
    runs: [
      {
        label: "nodal",
        t: arr([rows], Array.from({ length: rows }, (_, r) => r * step), "f8"),
        nodes: arr([rows, count, 3], places, "i2"),
        tensions: arr([rows, cables.length], tensions, "i2"),
        lengths: arr([rows, cables.length], lengths, "i2"),
      },
    ],
    tables: [{ title: "Summary", rows: [["status", "done"]] }],
  };
}

export function prism(): { nodes: Vec[]; bars: [number, number][]; cables: number[][] } {
  const nodes: Vec[] = [];
  for (const [z, shift] of [[0, 0], [1, (5 * Math.PI) / 6]]) {
    for (let i = 0; i < 3; i++) nodes.push([0.5 * Math.cos((2 * Math.PI * i) / 3 + shift), 0.5 * Math.sin((2 * Math.PI * i) / 3 + shift), z]);
  }
  return { nodes, bars: [[0, 3], [1, 4], [2, 5]], cables: [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 5], [1, 3], [2, 4]] };
}

// A still model with supports, a load and its self-stress.
export function model(): Record<string, unknown> {
  const { nodes, bars, cables } = prism();
  const described = structure(nodes, bars, cables, 0.015);
  (described.nodes as { names: string[]; fixed: number[] }).names = ["a1", "a2", "a3", "b1", "b2", "b3"];
  (described.nodes as { fixed: number[] }).fixed = [7, 7, 4, 0, 0, 0];
  described.loads = [{ node: 3, force: [0, 0, -10], from: 0, to: null }];
  return {
    format: 1, generator: "taut 0.1.0", title: "3-bar prism", subtitle: "prism.toml", kind: "model",
    structure: described,
    runs: [{ label: "start", t: arr([1], [0], "f8"), tensions: arr([1, 9], [14, 14, 14, 14, 14, 14, 0, 50, 50]), lengths: arr([1, 9], [0.87, 0.87, 0.87, 0.87, 0.87, 0.87, 0.5, 1.05, 1.05]), bar_forces: arr([1, 3], [-60, -60, -60]) }],
    tables: [
      { title: "Model", rows: [["nodes", "6"], ["bars", "3"], ["cables", "9"], ["degrees of freedom", "15"]] },
      { title: "Cables", columns: ["name", "rest length", "tension"], rows: cables.map((path) => [path.join("-"), "0.8 m", "14 N"]) },
    ],
    notes: ["Tensions are those of the start shape."],
  };
}

export function modes(): Record<string, unknown> {
  const base = model();
  const swing = (axis: number, power: number) => prism().nodes.flatMap((p) => [0, 1, 2].map((k) => (k === axis ? p[2] ** power : 0)));
  const twist = prism().nodes.flatMap(([x, y, z]) => [-y * z, x * z, 0]);
  return {
    ...base, kind: "modes", title: "3-bar prism, modes", subtitle: "about the start shape",
    modes: [
      { label: "1: mechanism", frequency_hz: 0, damping_ratio: 0, shape: arr([6, 3], twist, "f8") },
      { label: "2: sway along x", frequency_hz: 2.412, damping_ratio: 0.012, shape: arr([6, 3], swing(0, 1), "f8") },
      { label: "3: sway along y", frequency_hz: 2.53, damping_ratio: 0.013, shape: arr([6, 3], swing(1, 1), "f8") },
      { label: "4: stretch", frequency_hz: 31.8, damping_ratio: 0.04, shape: arr([6, 3], swing(2, 2), "f8") },
    ],
  };
}

export const evil = [
  `</script><script>window.hacked=1</script>`,
  `"><img src=x onerror="window.hacked=1">`,
  `' onmouseover='window.hacked=1`,
  `🤖 robot 💥`,
  "x".repeat(10000),
  "line\nbreak\u2028and\u2029more & <b>bold</b>",
];

// Every text of a run replaced by something hostile.
export function hostile(): Record<string, unknown> {
  const poisoned = (value: unknown, at = 0): unknown => {
    if (typeof value === "string") return evil[at % evil.length];
    if (Array.isArray(value)) return value.map((each, i) => poisoned(each, at + i));
    if (value !== null && typeof value === "object" && value.constructor === Object) {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, ["kind", "shape", "style"].includes(key) ? each : poisoned(each, at++)]));
    }
    return value;
  };
  const report = poisoned(rolling(1)) as Record<string, unknown>;
  const cables = (report.structure as { cables: { names: string[] } }).cables;
  cables.names = cables.names.map((_, i) => `${evil[i % evil.length]}${i}`);
  return report;
}

// Two runs of one structure, a plot with published points, a logarithmic plot.
export function compared(): Record<string, unknown> {
  const first = rolling(2);
  const second = rolling(2, 0.25) as { runs: { label: string }[] };
  const x = Array.from({ length: 40 }, (_, i) => i / 20);
  return {
    ...first, title: "two formulations",
    runs: [...(first.runs as unknown[]), { ...second.runs[0], label: "quaternion" }],
    plots: [
      {
        title: "Height against the paper", x_label: "s", y_label: "height, m", time: true,
        series: [
          { name: "taut", x: arr([40], x), y: arr([40], x.map((t) => Math.cos(t))), style: "line" },
          { name: "published", x: [0, 0.5, 1, 1.5], y: [1.01, 0.87, 0.55, 0.06], style: "points", published: true },
        ],
      },
      { title: "Error against step", x_label: "step, s", y_label: "error, m", x_log: true, y_log: true, series: [{ name: "rk4", x: [1e-4, 1e-3, 1e-2], y: [1e-12, 1e-8, null], style: "points" }, { name: "fourth order", x: [1e-4, 1e-2], y: [1e-12, 1e-4], style: "dashed" }] },
    ],
  };
}

// Hills under the robot, a plate, a body with a pulley, two frames, the second of them spinning in the first.
export function terrain(): Record<string, unknown> {
  const report = rolling(2) as { structure: Record<string, unknown>; runs: Record<string, Arr | unknown>[] };
  const heights: number[] = [];
  for (let j = 0; j < 30; j++) for (let i = 0; i < 40; i++) heights.push(0.12 * Math.sin(i / 3) * Math.cos(j / 4) - 0.1);
  const rows = 201;
  const pose = Array.from({ length: rows }, (_, r) => [1 + 0.2 * Math.sin(r / 30), -1, 0.6, Math.cos(r / 200), 0, 0, Math.sin(r / 200)]).flat();
  const principal = (angle: number) => Math.atan2(Math.sin(angle), Math.cos(angle));
  const frames = Array.from({ length: rows }, (_, r) => [0.01 * r, 2, 3, 0.1, 0.2, 0.3, 0, -0.02 * r, 0, principal(0.1 * r), 0.4, principal(-0.07 * r)]).flat();
  return {
    ...report, title: "over hills",
    structure: {
      ...report.structure,
      ground: { grid: { x0: -2, y0: -2, dx: 0.14, dy: 0.14, nx: 40, ny: 30, heights: arr([30, 40], heights) } },
      plates: [{ name: "deck", nodes: [0, 1, 3, 2] }],
      bodies: [{ name: "motor", shape: "box", size: [0.3, 0.2, 0.2], at: [0, 0, 0], rotation: [1, 0, 0, 0], color: "#3366aa" }],
      frames: [{ name: "base", nodes: [0, 1, 2], relative_to: -1 }, { name: "spinner", nodes: [4, 5, 6], relative_to: 0 }],
      pulleys: [{ name: "wheel", body: 0, at: [0, 0, 0.2], axis: [0, 1, 0], radius: 0.12, width: 0.05 }],
    },
    runs: [{ ...report.runs[0], bodies: arr([rows, 1, 7], pose), frames: arr([rows, 2, 6], frames, "f8") }],
  };
}

// Plots and tables alone, as a sweep has them.
export function figures(): Record<string, unknown> {
  const { plots } = compared() as { plots: unknown[] };
  const table = { title: "Computed beside published", columns: ["what", "computed", "published"], rows: [["period", "1.2040 s", "1.204 s"], ["peak", "31.25 N", "31.3 N"]] };
  return { format: 1, generator: "taut 0.1.0", title: "Figures of a study", kind: "reproduce", plots, tables: [table] };
}

// A machine: a drum on a block that swings, its cable to a node; a belt between two drums, open or crossed; a shape of
// each kind; joints.
export function machine(options: { crossed?: boolean; length?: number } = {}): Record<string, unknown> {
  const rows = 51;
  const quaternion = (angle: number, [x, y, z]: number[]) => [Math.cos(angle / 2), ...[x, y, z].map((part) => part * Math.sin(angle / 2))];
  const tilt = Math.SQRT1_2;
  const pose = (r: number) => [
    [0.1 * Math.sin(r / 9), 0, 1, ...quaternion(0.02 * r, [0, 0, 1])],
    [0.1 * Math.sin(r / 9), 0, 1, ...quaternion(0.09 * r, [0, tilt, tilt])],
    [1.2, 0.2, 0.5, ...quaternion(-0.2 * r, [0, 1, 0])],
    [1.9, 0.2 + 0.001 * r, 0.8, ...quaternion(0.3 * r, [0, 1, 0])],
    [-0.6, 0.3, 0.2, 1, 0, 0, 0],
  ].flat();
  const still = (i: number) => pose(0).slice(7 * i, 7 * i + 7);
  const hook = (r: number) => [0.8, 0.5 * Math.cos(r / 20), 0.1];
  const nodes = Array.from({ length: rows }, (_, r) => [0, 0, 0, ...hook(r)]).flat();
  const turn = { at: [0, 0, 0], rotation: [1, 0, 0, 0] };
  return {
    format: 1, generator: "taut", title: "a machine", kind: "run",
    structure: {
      nodes: { names: ["foot", "hook"], positions: arr([2, 3], nodes.slice(0, 6)), fixed: [7, 0] },
      bars: { names: ["post"], a: [0], b: [1], radius: [0.02] },
      cables: { names: ["rope", "belt"], paths: [[1], []], rest_lengths: [0.9, 0.7] },
      bodies: [
        { name: "block", shape: "box", size: [0.3, 0.15, 0.3], ...turn, pose: still(0), clear: true },
        { name: "winch", pose: still(1) },
        { name: "wheel", pose: still(2) },
        { name: "pinion", shape: "sphere", size: [0.05], ...turn, pose: still(3) },
        { name: "pipe", shape: "tube", size: [0.1, 0.07, 0.4], ...turn, pose: still(4) },
      ],
      solids: [
        { name: "pivot", kind: "universal", body: -1, shape: "cylinder", size: [0.02, 0.3], at: [0, 0, 1], rotation: [1, 0, 0, 0] },
        { name: "pivot", kind: "universal", body: 0, shape: "cylinder", size: [0.02, 0.3], at: [0, 0, 0], rotation: [tilt, tilt, 0, 0] },
        { name: "pipe", kind: "arm", body: 4, shape: "cylinder", size: [0.01, 0.4], at: [0, 0, 0.4], rotation: [1, 0, 0, 0] },
      ],
      pulleys: [
        { name: "rope", body: 1, at: [0.01, 0, 0.02], axis: [0, tilt, tilt], radius: 0.12, width: 0.06, cable: 0, ...(options.length ? { length: options.length } : {}) },
        { name: "belt", body: 2, at: [0, 0, 0], axis: [0, 1, 0], radius: 0.2, width: 0.05, cable: 1, second: { body: 3, at: [0.01, 0, 0], radius: 0.1 }, crossed: options.crossed ?? false },
      ],
      gravity: [0, 0, -9.81],
    },
    runs: [
      {
        label: "multibody", t: arr([rows], Array.from({ length: rows }, (_, r) => r / 25), "f8"), nodes: arr([rows, 2, 3], nodes),
        bodies: arr([rows, 5, 7], Array.from({ length: rows }, (_, r) => pose(r)).flat()),
        tensions: arr([rows, 2], Array.from({ length: 2 * rows }, (_, i) => 20 + 10 * Math.sin(i / 8))),
        rest_lengths: arr([rows, 2], Array.from({ length: rows }, (_, r) => [0.9 + 0.002 * r, 0.7]).flat()),
      },
    ],
  };
}
