// The structure of a report: nodes, bars, cables and what surrounds them.
import { ReportError } from "./arrays";
import type { Body, Frame, Ground, Pulley, Shape, Structure, Wheel } from "./document";
import { array, indices, list, names, number, record, text, vector, type Json } from "./read";
import { addCourses } from "./scene/winding";

export function readStructure(json: Json, bytes: Uint8Array): Structure {
  const nodes = record(json.nodes, "structure.nodes");
  const positions = array(nodes.positions, [-1, 3], bytes, "structure.nodes.positions");
  if (positions === null) throw new ReportError("structure.nodes.positions: missing");
  const count = positions.shape[0];
  const fixed = list(nodes.fixed, "structure.nodes.fixed").map((bits) => number(bits, 0) & 7);

  const bars = record(json.bars ?? {}, "structure.bars");
  const a = indices(bars.a, count, "structure.bars.a");
  const b = indices(bars.b, count, "structure.bars.b");
  if (a.length !== b.length) throw new ReportError(`structure.bars: ${a.length} first ends, ${b.length} second ends`);
  const radius = list(bars.radius, "structure.bars.radius").map((r) => Math.max(0, number(r, 0)));

  const cables = record(json.cables ?? {}, "structure.cables");
  const paths = list(cables.paths, "structure.cables.paths").map((path, i) =>
    indices(path, count, `structure.cables.paths[${i}]`),
  );
  const rest = list(cables.rest_lengths, "structure.cables.rest_lengths").map((x) => number(x, NaN));

  const bodies = list(json.bodies, "structure.bodies").map((body, i) => readBody(body, `structure.bodies[${i}]`));
  const structure: Structure = {
    nodes: {
      names: names(nodes.names, count, "node", "structure.nodes.names"),
      positions,
      fixed: Array.from({ length: count }, (_, i) => fixed[i] ?? 0),
    },
    bars: {
      names: names(bars.names, a.length, "bar", "structure.bars.names"),
      a,
      b,
      radius: a.map((_, i) => radius[i] ?? 0.01),
    },
    cables: {
      names: names(cables.names, paths.length, "cable", "structure.cables.names"),
      paths,
      restLengths: rest.length === paths.length ? rest : [],
    },
    loads: list(json.loads, "structure.loads").map((entry, i) => {
      const where = `structure.loads[${i}]`;
      const load = record(entry, where);
      return {
        node: indices([load.node], count, `${where}.node`)[0],
        force: vector(load.force, 3, [0, 0, 0], `${where}.force`),
        from: number(load.from, -Infinity),
        to: number(load.to, Infinity),
      };
    }),
    plates: list(json.plates, "structure.plates").map((entry, i) => {
      const plate = record(entry, `structure.plates[${i}]`);
      return {
        name: text(plate.name) || `plate ${i + 1}`,
        nodes: indices(plate.nodes, count, `structure.plates[${i}].nodes`),
      };
    }),
    bodies,
    solids: list(json.solids, "structure.solids").map((entry, i) => {
      const where = `structure.solids[${i}]`;
      const solid = record(entry, where);
      const shape = readShape(solid, where);
      if (shape === null) throw new ReportError(`${where}.shape: missing`);
      return { name: text(solid.name), kind: text(solid.kind), body: bodyIndex(solid.body, bodies, where), shape };
    }),
    pulleys: list(json.pulleys, "structure.pulleys").map((entry, i) => readPulley(entry, i, bodies, paths.length)),
    points: count,
    frames: readFrames(list(json.frames, "structure.frames"), count),
    gravity: vector(json.gravity, 3, [0, 0, 0], "structure.gravity"),
    ground: json.ground == null ? null : readGround(record(json.ground, "structure.ground"), bytes),
  };
  addCourses(structure);
  return structure;
}

function readWheel(json: Json, bodies: Body[], where: string): Wheel {
  return {
    body: bodyIndex(json.body, bodies, where),
    at: vector(json.at, 3, [0, 0, 0], `${where}.at`),
    radius: Math.max(0, number(json.radius, 0)),
  };
}

function readPulley(entry: unknown, i: number, bodies: Body[], cables: number): Pulley {
  const where = `structure.pulleys[${i}]`;
  const json = record(entry, where);
  return {
    ...readWheel(json, bodies, where),
    name: text(json.name) || `pulley ${i + 1}`,
    axis: vector(json.axis, 3, [0, 0, 1], `${where}.axis`),
    width: Math.max(0, number(json.width, 0)),
    cable: json.cable == null ? -1 : indices([json.cable], cables, `${where}.cable`)[0],
    second: json.second == null ? null : readWheel(record(json.second, `${where}.second`), bodies, `${where}.second`),
    crossed: json.crossed === true,
    length: Math.max(0, number(json.length, 0)),
    points: -1,
  };
}

function readFrames(entries: unknown[], nodeCount: number): Frame[] {
  return entries.map((entry, i) => {
    const where = `structure.frames[${i}]`;
    const frame = record(entry, where);
    const nodes = indices(frame.nodes, nodeCount, `${where}.nodes`);
    if (nodes.length !== 3) throw new ReportError(`${where}.nodes: expected three indices`);
    const base = frame.relative_to ?? -1;
    return {
      name: text(frame.name) || `frame ${i + 1}`,
      nodes,
      relativeTo: base === -1 ? -1 : indices([base], entries.length, `${where}.relative_to`)[0],
    };
  });
}

// The body of a pulley, by index or by name.
function bodyIndex(value: unknown, bodies: Body[], where: string): number {
  if (value == null || value === -1) return -1;
  const index = typeof value === "string" ? bodies.findIndex((body) => body.name === value) : value;
  return indices([index], bodies.length, `${where}.body`)[0];
}

const sizeCounts = { box: 3, cylinder: 2, sphere: 1, tube: 3 };

function readBody(entry: unknown, where: string): Body {
  const json = record(entry, where);
  return {
    name: text(json.name),
    shape: readShape(json, where),
    pose: vector(json.pose, 7, [0, 0, 0, 1, 0, 0, 0], `${where}.pose`),
    clear: json.clear === true,
    color: text(json.color),
  };
}

function readShape(json: Json, where: string): Shape | null {
  if (json.shape == null) return null;
  const kind = text(json.shape) as Shape["kind"];
  const count = Object.hasOwn(sizeCounts, kind) ? sizeCounts[kind] : 0;
  if (count === 0) throw new ReportError(`${where}.shape: "${kind.slice(0, 40)}" is not box, cylinder, sphere or tube`);
  return {
    kind,
    size: vector(json.size, count, new Array<number>(count).fill(0.1), `${where}.size`),
    at: vector(json.at, 3, [0, 0, 0], `${where}.at`),
    rotation: vector(json.rotation, 4, [1, 0, 0, 0], `${where}.rotation`),
  };
}

function readGround(json: Json, bytes: Uint8Array): Ground {
  const ground = { height: number(json.height, 0), normal: vector(json.normal, 3, [0, 0, 1], "structure.ground.normal") };
  if (json.grid == null) return { ...ground, grid: null };
  const grid = record(json.grid, "structure.ground.grid");
  const nx = number(grid.nx, 0);
  const ny = number(grid.ny, 0);
  const heights = array(grid.heights, [ny, nx], bytes, "structure.ground.grid.heights");
  if (heights === null || nx < 2 || ny < 2) throw new ReportError("structure.ground.grid: needs at least 2 × 2 heights");
  const dx = number(grid.dx, 0);
  const dy = number(grid.dy, 0);
  if (!(dx > 0) || !(dy > 0)) throw new ReportError("structure.ground.grid: dx and dy must be positive");
  return { ...ground, grid: { x0: number(grid.x0, 0), y0: number(grid.y0, 0), dx, dy, nx, ny, heights } };
}
