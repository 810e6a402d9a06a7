// The 3-D scene: puts the parts together, follows the clock, draws when something changed.
import * as THREE from "three";
import { darkPalette, forceColor, lightPalette, rgb, type Palette } from "../colors";
import type { Run, Structure } from "../document";
import { Track } from "../track";
import { BodyView } from "./bodies";
import { Eye, type ViewName } from "./camera";
import { flat, measure, upward, type Extent } from "./extent";
import { cableRadius, Figure, flatTexture, rampTexture, type Shared } from "./figure";
import { ForceView } from "./forces";
import { FrameView } from "./frames";
import { GroundView } from "./ground";
import { Labels } from "./labels";
import { PathView } from "./path";
import { namesOf, pickAt, type Pick, type PickKind } from "./pick";
import { isSoftware, Quality } from "./quality";
import { SupportView } from "./supports";
import { courseOf } from "./winding";

THREE.ColorManagement.enabled = false;

export class View3D {
  readonly canvas = document.createElement("canvas");
  readonly labels: Labels;
  readonly eye: Eye;
  readonly forces: ForceView;
  readonly frames: FrameView;
  readonly paths: PathView;
  readonly ground: GroundView | null = null;
  readonly extent: Extent;
  readonly quality: Quality;
  readonly range: [number, number]; // N, of the colour scale
  readonly hasTensions: boolean;
  following = false;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly shared: Shared;
  private readonly main: Figure;
  private readonly overlays: { track: Track; figure: Figure; bodies: BodyView }[] = [];
  private readonly bodies: BodyView;
  private readonly supports: SupportView;
  private palette: Palette = lightPalette;
  private track: Track;
  private selected: Pick | null = null;
  private readonly center = new THREE.Vector3();
  private readonly centerBefore = new THREE.Vector3();
  private readonly step = new THREE.Vector3();
  private width = 1;
  private height = 1;
  private scale = 1;

  // Throws when the browser has no WebGL 2. `changed` is called when the picture must be drawn again.
  constructor(
    private readonly structure: Structure,
    runs: readonly Run[],
    first: Run,
    changed: () => void,
  ) {
    const heavy = structure.bars.names.length + structure.cables.names.length > 800;
    const context = this.canvas.getContext("webgl2", { antialias: !heavy, alpha: false });
    if (!context) throw new Error("no WebGL 2");
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, context });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.quality = new Quality(Math.min(2, window.devicePixelRatio || 1), isSoftware(context), heavy);
    this.canvas.className = "scene-canvas";
    this.canvas.tabIndex = 0;

    this.track = new Track(first, structure);
    const tracks = [this.track, ...runs.filter((run) => run !== first).map((run) => new Track(run, structure))];
    this.extent = measure(structure, tracks);
    const shown = runs.length > 0 ? runs : [first];
    this.range = tensionRange(shown);
    this.hasTensions = first.tensions !== null;
    const up = new THREE.Vector3(...upward(structure));
    this.shared = {
      uPixel: { value: 1 },
      uUp: { value: up },
      uSun: { value: new THREE.Vector3(0.35, -0.5, 0.2).addScaledVector(up, 1).normalize() },
      uRamp: { value: flatTexture([0, 0, 0]) },
      uRange: { value: new THREE.Vector2(...this.range) },
      uSlackBelow: { value: this.hasTensions ? slackBelow(this.range, shown) : -1e30 },
    };
    this.eye = new Eye(this.canvas, up, this.extent, changed);
    this.main = new Figure(structure, this.shared, null, this.extent.size);
    if (structure.ground) this.ground = new GroundView(structure.ground, structure, this.extent, this.main, this.shared);
    this.forces = new ForceView(structure, this.extent.size, this.extent.symbol, this.ground, this.shared);
    this.supports = new SupportView(structure, this.extent.symbol, up, this.main, this.shared);
    this.bodies = new BodyView(structure, cableRadius(structure, this.extent.size));
    this.frames = new FrameView(structure, this.extent.symbol, this.shared);
    this.paths = new PathView(structure);
    this.labels = new Labels(
      structure.nodes.names,
      structure.frames.map((frame) => frame.name),
      structure.bodies.map((body) => (body.shape ? body.name : "")),
    );
    const sun = new THREE.DirectionalLight(0xffffff, 1.35);
    sun.position.copy(this.shared.uSun.value);
    const sky = new THREE.HemisphereLight(0xffffff, 0x8d949c, 1.75);
    sky.position.copy(up);
    this.scene.add(sun, sky, this.main.group, this.forces.group, this.supports.group, this.bodies.group, this.paths.group);
    this.scene.add(this.frames.group);
    if (this.ground) this.scene.add(this.ground.group);
    this.setRun(first, runs.includes(first));
  }

  setTheme(dark: boolean): void {
    this.palette = dark ? darkPalette : lightPalette;
    this.shared.uRamp.value.dispose();
    this.shared.uRamp.value = this.hasTensions
      ? rampTexture((x) => forceColor(x, dark))
      : flatTexture(rgb(this.palette.plain));
    this.renderer.setClearColor(this.palette.background);
    for (const part of [this.main, this.ground, this.forces, this.supports, this.bodies, this.frames, this.paths]) {
      part?.paint(this.palette);
    }
    for (const { figure, bodies } of this.overlays) {
      figure.paint(this.palette);
      bodies.paint(this.palette);
    }
  }

  // `moving`: a motion in time, not a mode shape, which has neither forces nor a path.
  setRun(run: Run, moving: boolean): void {
    this.forces.group.visible = this.paths.group.visible = moving;
    this.track = new Track(run, this.structure);
    this.forces.setRun(run);
    this.paths.setRun(this.track, this.selected?.kind === "node" ? this.selected.index : -1);
    this.seek(this.track.start);
    this.centerBefore.copy(this.center);
  }

  // Further runs over the main one, each in one colour (an index into palette.runs).
  setOverlays(runs: readonly { run: Run; color: number }[]): void {
    for (const { figure, bodies } of this.overlays) {
      this.scene.remove(figure.group, bodies.group);
      figure.dispose();
      bodies.dispose();
    }
    this.overlays.length = 0;
    for (const { run, color } of runs) {
      const tint = this.palette.runs[color % this.palette.runs.length];
      const figure = new Figure(this.structure, this.shared, tint, this.extent.size);
      const bodies = new BodyView(this.structure, cableRadius(this.structure, this.extent.size), tint);
      figure.paint(this.palette);
      bodies.paint(this.palette);
      this.scene.add(figure.group, bodies.group);
      this.overlays.push({ track: new Track(run, this.structure), figure, bodies });
    }
  }

  select(pick: Pick | null): void {
    this.selected = pick;
    this.main.mark(pick?.kind ?? null, pick?.index ?? -1);
    this.bodies.mark(pick);
    this.paths.setRun(this.track, pick?.kind === "node" ? pick.index : -1);
  }

  seek(time: number): void {
    this.track.seek(time);
    this.main.update(this.track);
    for (const { track, figure, bodies } of this.overlays) {
      track.seek(Math.min(Math.max(time, track.start), track.end));
      figure.update(track);
      bodies.update(figure.poses);
    }
    this.forces.update(this.track, this.main.positions, time);
    this.bodies.update(this.main.poses);
    this.frames.update(this.main.positions);
    this.findCenter();
    if (this.following) this.eye.shift(this.step.subVectors(this.center, this.centerBefore));
    this.centerBefore.copy(this.center);
  }

  private findCenter(): void {
    const count = this.structure.nodes.names.length;
    this.center.set(0, 0, 0);
    if (count === 0) return;
    const p = this.main.positions;
    let x = 0, y = 0, z = 0;
    for (let n = 0; n < count; n++) {
      x += p[4 * n];
      y += p[4 * n + 1];
      z += p[4 * n + 2];
    }
    this.center.set(x / count, y / count, z / count);
  }

  look(view: ViewName | "fit"): void {
    const [low, high] = this.box();
    if (view === "fit") this.eye.fit(low, high);
    else this.eye.look(view, low, high);
  }

  // A structure in a plane is looked at from the front.
  firstLook(): void {
    this.look(flat(this.structure) ? "front" : "iso");
  }

  // What a view shows: all that happens, or the structure alone where it goes far or is followed.
  private box(): [THREE.Vector3, THREE.Vector3] {
    const low = new THREE.Vector3(Infinity, Infinity, Infinity);
    const high = low.clone().negate();
    const place = new THREE.Vector3();
    for (let n = 0; n < this.structure.nodes.names.length; n++) {
      place.fromArray(this.main.positions, 4 * n);
      low.min(place);
      high.max(place);
    }
    if (low.x > high.x) return [new THREE.Vector3(...this.extent.low), new THREE.Vector3(...this.extent.high)];
    // Loads start outside.
    for (const { node, force } of this.forces.group.visible ? this.structure.loads : []) {
      const size = Math.hypot(...force);
      if (!(size > 0)) continue;
      place.fromArray(force).multiplyScalar((-0.25 * this.extent.size) / this.forces.largest.load);
      place.add(new THREE.Vector3().fromArray(this.main.positions, 4 * node));
      low.min(place);
      high.max(place);
    }
    if (!this.following && this.extent.travel < 3 * this.extent.size) {
      low.min(place.fromArray(this.extent.low));
      high.max(place.fromArray(this.extent.high));
    }
    return [low, high];
  }

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.eye.camera.aspect = this.width / this.height;
    this.eye.camera.updateProjectionMatrix();
    this.labels.resize(this.width, this.height);
    this.scale = 0;
  }

  render(moving: boolean): void {
    const scale = this.quality.scale(moving);
    if (scale !== this.scale) {
      this.scale = scale;
      this.renderer.setPixelRatio(scale);
      this.renderer.setSize(this.width, this.height, false);
    }
    const { low, high } = this.extent;
    const reach = 2.5 * this.extent.size + Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    this.eye.settle(reach);
    this.shared.uPixel.value = (2 * Math.tan((this.eye.camera.fov * Math.PI) / 360)) / this.height;
    this.renderer.render(this.scene, this.eye.camera);
    const node = this.selected?.kind === "node" ? this.selected.index : -1;
    const origins = this.frames.group.visible ? this.frames.origins : null;
    this.labels.draw(this.main.positions, origins, this.main.poses, this.eye.camera, this.palette, node);
  }

  // Nodes and members, which are thin, before bodies.
  pick(x: number, y: number, coarse: boolean): Pick | null {
    const near = pickAt(x, y, this.structure, this.main.positions, this.eye.camera, this.width, this.height, coarse);
    return near ?? this.bodies.pick((2 * x) / this.width - 1, 1 - (2 * y) / this.height, this.eye.camera);
  }

  // Where a node, a body or a joint is in the picture, in pixels from its corner; null behind the eye.
  project(name: string): { x: number; y: number } | null {
    const names = namesOf(this.structure);
    const kind = (["node", "body", "joint"] as PickKind[]).find((each) => names[each].includes(name));
    if (kind === undefined) return null;
    const index = names[kind].indexOf(name);
    const place =
      kind === "node" ? new THREE.Vector3().fromArray(this.main.positions, 4 * index) : this.bodies.place({ kind, index });
    if (!place || !(place.project(this.eye.camera).z < 1)) return null;
    return { x: (0.5 + 0.5 * place.x) * this.width, y: (0.5 - 0.5 * place.y) * this.height };
  }

  // The points that a cable is drawn through: round its drum and on to where it ends, m.
  course(name: string): number[][] {
    const cable = this.structure.cables.names.indexOf(name);
    return courseOf(this.structure, cable).map((point) => [...this.main.positions.subarray(4 * point, 4 * point + 3)]);
  }
}

// From nothing, or the least where that is not near nothing, to the largest tension of all runs.
export function tensionRange(runs: readonly Run[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const run of runs) {
    const range = run.tensions?.range();
    if (!range) continue;
    low = Math.min(low, range[0]);
    high = Math.max(high, range[1]);
  }
  if (!(low <= high)) return [0, 1];
  if (low > -1e-3 * high && (low < 0.25 * high || high - low < 0.02 * high)) low = 0;
  return high > low ? [low, high] : [low, low + 1];
}

// A cable that carries less than a thousandth of the largest tension is slack, unless springs can push. Of several runs
// the calmest counts: in one that diverges tensions grow without bound.
export function slackBelow(range: readonly [number, number], runs: readonly Run[]): number {
  if (range[0] < 0) return -1e30;
  const largest = runs.map((run) => run.tensions?.range()?.[1] ?? 0).filter((tension) => tension > 0);
  return 1e-3 * Math.min(range[1], ...largest);
}
