// One drawn structure: rods, cables, nodes and plates, all fed by a texture of node positions.
import * as THREE from "three";
import { rgb, type Palette, type Rgb } from "../colors";
import type { Structure } from "../document";
import type { Track } from "../track";
import { copies, ribbon, square, tube, type Shape } from "./shapes";
import { placeCourses, woundEnds } from "./winding";
import * as glsl from "./shaders";

// Uniforms that all materials of the scene share.
export interface Shared {
  uPixel: { value: number };
  uUp: { value: THREE.Vector3 };
  uSun: { value: THREE.Vector3 };
  uRamp: { value: THREE.Texture };
  uRange: { value: THREE.Vector2 };
  uSlackBelow: { value: number };
}

export class Figure {
  readonly group = new THREE.Group();
  readonly positions: Float32Array; // 4 values a node, and a point of a cable on a pulley
  readonly poses: Float64Array; // 7 values a body
  readonly nodeTexture: THREE.DataTexture;
  readonly barEnds: number[]; // first node, second node, index
  readonly cableEnds: number[]; // first node, second node, cable: for each stretch of a path
  private readonly cableState: Float32Array;
  private readonly cableTexture: THREE.DataTexture;
  private readonly rods: THREE.ShaderMaterial;
  private readonly lines: THREE.ShaderMaterial;
  private readonly bows: THREE.ShaderMaterial;
  private readonly coils: THREE.ShaderMaterial;
  private readonly bowShape: Shape;
  private readonly bowGeometry: THREE.BufferGeometry | null;
  private readonly balls: THREE.ShaderMaterial;
  private readonly plates: THREE.ShaderMaterial;

  // `tint`: one colour for everything, of a run that is laid over the first.
  constructor(
    readonly structure: Structure,
    shared: Shared,
    private readonly tint: number | null,
    size: number,
  ) {
    const { nodes, bars, cables } = structure;
    [this.positions, this.nodeTexture] = floatTexture(structure.points);
    this.poses = new Float64Array(7 * structure.bodies.length);
    [this.cableState, this.cableTexture] = floatTexture(cables.names.length);
    const own = {
      uNodes: { value: this.nodeTexture },
      uPixel: shared.uPixel,
      uUp: shared.uUp,
      uSun: shared.uSun,
      uMarkColor: { value: new THREE.Color() },
    };
    const color = () => ({ uColor: { value: new THREE.Color() }, uMark: { value: -1 } });
    const many = bars.names.length + cables.names.length > 800;

    // Rods.
    this.barEnds = bars.names.flatMap((_, i) => [bars.a[i], bars.b[i], i]);
    this.rods = material(glsl.rodVertex, glsl.rodFragment, { ...own, ...color() });
    this.add(tube(many ? 5 : 18), this.rods, { ends: [this.barEnds, 3], radius: [bars.radius, 1] }, bars.names.length);

    // Cables: one ribbon for each stretch of the path.
    this.cableEnds = cables.paths.flatMap((path, c) => path.slice(1).flatMap((node, k) => [path[k], node, c]));
    const usual = usualRadius(structure, size);
    const cableUniforms = {
      ...own,
      uMark: { value: -1 },
      uCables: { value: this.cableTexture },
      uRadius: { value: cableRadius(structure, size) },
      uRamp: tint === null ? shared.uRamp : { value: flatTexture(rgb(tint)) },
      uRange: shared.uRange,
      uSlackBelow: shared.uSlackBelow,
      uSlackColor: { value: new THREE.Color() },
    };
    const stretches = this.cableEnds.length / 3;
    this.lines = material(glsl.cableVertex, glsl.cableFragment, cableUniforms);
    this.add(ribbon(1), this.lines, { ends: [this.cableEnds, 3] }, stretches);
    this.bows = material(glsl.cableVertex, glsl.cableFragment, cableUniforms);
    this.bows.defines = { SLACK: "" };
    this.bowShape = ribbon(many ? 8 : 16);
    this.bowGeometry = this.add(this.bowShape, this.bows, { ends: [this.cableEnds, 3] }, stretches);

    // Round drums.
    this.coils = material(glsl.cableVertex, glsl.cableFragment, cableUniforms);
    this.coils.defines = { WOUND: "" };
    const wound = woundEnds(structure);
    this.add(ribbon(1), this.coils, { ends: [wound, 3] }, wound.length / 3);

    // Nodes.
    const radii = nodes.names.map(() => 0.55 * usual);
    bars.radius.forEach((radius, i) => {
      for (const end of [bars.a[i], bars.b[i]]) radii[end] = Math.max(radii[end], 1.3 * radius);
    });
    this.balls = material(glsl.ballVertex, glsl.ballFragment, { ...own, ...color() });
    this.add(square(), this.balls, { place: [radii.flatMap((r, i) => [i, r]), 2] }, radii.length);

    this.plates = material(glsl.plateVertex, glsl.plateFragment, { ...own, ...color() });
    this.plates.side = THREE.DoubleSide;
    this.plates.transparent = true;
    this.addPlates();
  }

  // The colours of the theme.
  paint(palette: Palette): void {
    const set = (uniform: { value: THREE.Color }, hex: number) => uniform.value.set(hex);
    set(this.rods.uniforms.uMarkColor as never, palette.mark); // all share it
    set(this.rods.uniforms.uColor as never, this.tint ?? palette.bar);
    set(this.balls.uniforms.uColor as never, this.tint ?? palette.node);
    set(this.plates.uniforms.uColor as never, this.tint ?? palette.plate);
    set(this.lines.uniforms.uSlackColor as never, this.tint ?? palette.slack);
  }

  // `kind` null: nothing.
  mark(kind: string | null, index: number): void {
    this.rods.uniforms.uMark.value = kind === "bar" ? index : -1;
    this.lines.uniforms.uMark.value = kind === "cable" ? index : -1;
    this.balls.uniforms.uMark.value = kind === "node" ? index : -1;
  }

  // The instant that the track stands at.
  update(track: Track): void {
    track.positions(this.positions, 4);
    track.bodies(this.poses);
    placeCourses(this.structure, this.poses, (cable) => track.freeLength(cable), this.positions, 4);
    this.nodeTexture.needsUpdate = true;
    track.cables(this.cableState);
    this.cableTexture.needsUpdate = true;
    if (this.bowGeometry) this.chooseBows(this.bowGeometry);
  }

  // Only the slack cables are drawn as bows: their triangles come first in the list.
  private chooseBows(geometry: THREE.BufferGeometry): void {
    const index = geometry.getIndex()!;
    const list = index.array as Uint32Array;
    const { places, triangles } = this.bowShape;
    const below = this.lines.uniforms.uSlackBelow.value as number;
    let used = 0;
    for (let i = 2, copy = 0; i < this.cableEnds.length; i += 3, copy++) {
      if (!(this.cableState[4 * this.cableEnds[i]] < below)) continue;
      const first = (copy * places.length) / 3;
      for (let k = 0; k < triangles.length; k++) list[used++] = first + triangles[k];
    }
    geometry.setDrawRange(0, used);
    if (used > 0) {
      index.clearUpdateRanges();
      index.addUpdateRange(0, used);
      index.needsUpdate = true;
    }
  }

  private add(
    shape: Shape,
    look: THREE.ShaderMaterial,
    attributes: Parameters<typeof copies>[1],
    count: number,
  ): THREE.BufferGeometry | null {
    if (count === 0) return null;
    const mesh = new THREE.Mesh(copies(shape, attributes, count), look);
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh.geometry;
  }

  // Plates as fans about their first corner.
  private addPlates(): void {
    const corners: number[] = [];
    for (const { nodes } of this.structure.plates) {
      for (let k = 2; k < nodes.length; k++) corners.push(nodes[0], nodes[k - 1], nodes[k]);
    }
    if (corners.length === 0) return;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("corner", new THREE.BufferAttribute(Float32Array.from(corners), 1));
    geometry.setDrawRange(0, corners.length);
    const mesh = new THREE.Mesh(geometry, this.plates);
    mesh.frustumCulled = false;
    mesh.renderOrder = 5;
    this.group.add(mesh);
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof THREE.Mesh) object.geometry.dispose();
    });
    for (const each of [this.rods, this.lines, this.bows, this.coils, this.balls, this.plates]) each.dispose();
    this.nodeTexture.dispose();
    this.cableTexture.dispose();
  }
}

function usualRadius(structure: Structure, size: number): number {
  return median(structure.bars.radius) || 0.004 * size;
}

// Thinner than bars, and so that it lies between the flanges of its drum.
export function cableRadius(structure: Structure, size: number): number {
  const drums = structure.pulleys.filter(({ cable }) => cable >= 0);
  const room = drums.map(({ radius, width, second }) => Math.min(0.06 * radius, 0.06 * (second?.radius ?? Infinity), 0.25 * (width || radius)));
  return Math.min(0.34 * usualRadius(structure, size), ...room);
}

function median(values: number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[sorted.length >> 1] ?? 0;
}

export function material(
  vertexShader: string,
  fragmentShader: string,
  uniforms: Record<string, { value: unknown }>,
): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({ vertexShader, fragmentShader, uniforms });
}

// Four floats for each of `count` things, nodesWide in a row.
function floatTexture(count: number): [Float32Array<ArrayBuffer>, THREE.DataTexture] {
  const wide = glsl.nodesWide;
  const rows = Math.max(1, Math.ceil(count / wide));
  const data = new Float32Array(4 * wide * rows);
  const texture = new THREE.DataTexture(data, wide, rows, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return [data, texture];
}

export function flatTexture(color: Rgb): THREE.DataTexture {
  return rampTexture(() => color);
}

export function rampTexture(colorAt: (x: number) => Rgb): THREE.DataTexture {
  const data = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) {
    const color = colorAt(i / 255);
    for (let k = 0; k < 3; k++) data[4 * i + k] = Math.round(255 * color[k]);
    data[4 * i + 3] = 255;
  }
  const texture = new THREE.DataTexture(data, 256, 1);
  texture.needsUpdate = true;
  return texture;
}
