// The ground: a plane with a grid that fades out, or a height field; and the shadows on it.
import * as THREE from "three";
import type { Palette } from "../colors";
import type { Ground, Grid, Structure } from "../document";
import type { Extent } from "./extent";
import { material, type Figure, type Shared } from "./figure";
import { copies, ribbon } from "./shapes";
import { shadowFragment, shadowVertex } from "./shaders";

const fadeVertex = `
varying vec3 vPlace;
void main() {
  vPlace = (modelMatrix * vec4(position, 1)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1);
}`;
const fadeFragment = `
uniform vec3 uColor;
uniform vec3 uBackground;
uniform vec3 uCenter;
uniform float uReach;
varying vec3 vPlace;
void main() {
  float near = 1.0 - smoothstep(0.35, 1.0, distance(vPlace, uCenter) / uReach);
  gl_FragColor = vec4(mix(uBackground, uColor, near), 1);
}`;

export class GroundView {
  readonly group = new THREE.Group();
  readonly normal = new THREE.Vector3();
  private readonly disc: THREE.ShaderMaterial;
  private readonly lines: THREE.ShaderMaterial;
  private hill: THREE.MeshLambertMaterial | null = null;
  private readonly shadows: THREE.ShaderMaterial[] = [];
  private readonly shadowGroup = new THREE.Group();

  constructor(
    private readonly ground: Ground,
    structure: Structure,
    extent: Extent,
    figure: Figure,
    shared: Shared,
  ) {
    this.normal.fromArray(ground.normal).normalize();
    if (this.normal.lengthSq() === 0) this.normal.set(0, 0, 1);
    const middle = new THREE.Vector3(...extent.low).add(new THREE.Vector3(...extent.high)).multiplyScalar(0.5);
    const center = middle.clone().addScaledVector(this.normal, this.height() - this.normal.dot(middle));
    const spread = new THREE.Vector3(...extent.high).sub(new THREE.Vector3(...extent.low));
    const reach = 2.2 * extent.size + spread.addScaledVector(this.normal, -spread.dot(this.normal)).length();
    const own = { uBackground: { value: new THREE.Color() }, uCenter: { value: center }, uReach: { value: reach } };
    this.disc = material(fadeVertex, fadeFragment, { ...own, uColor: { value: new THREE.Color() } });
    this.lines = material(fadeVertex, fadeFragment, { ...own, uColor: { value: new THREE.Color() } });
    if (ground.grid) this.addHill(ground.grid);
    else this.addPlane(center, reach, extent.size);
    this.addShadows(structure, extent, figure, shared);
    this.group.add(this.shadowGroup);
  }

  // Of the plane along its unit normal: it passes through (0, 0, height).
  height(): number {
    return this.normal.z * this.ground.height;
  }

  // The point of the ground below a place, into `place`.
  drop(place: THREE.Vector3): void {
    const grid = this.ground.grid;
    if (grid) place.z = heightAt(grid, place.x, place.y);
    else place.addScaledVector(this.normal, this.height() - this.normal.dot(place));
  }

  paint(palette: Palette): void {
    this.disc.uniforms.uColor.value.set(palette.ground);
    this.disc.uniforms.uBackground.value.set(palette.background);
    this.lines.uniforms.uColor.value.set(palette.gridLine);
    this.hill?.color.set(palette.ground);
    for (const shadow of this.shadows) {
      shadow.uniforms.uShadow.value.set(palette.shadow);
      shadow.uniforms.uGround.value.set(palette.ground);
    }
  }

  showShadows(on: boolean): void {
    this.shadowGroup.visible = on;
  }

  // A disc and lines on it; drawn first and without depth, so that nothing flickers.
  private addPlane(center: THREE.Vector3, reach: number, size: number): void {
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.normal);
    const disc = new THREE.Mesh(new THREE.CircleGeometry(reach, 48), this.disc);
    const step = 10 ** Math.floor(Math.log10(size / 1.5));
    const coarse = reach / step > 60 ? 5 * step : step;
    const places: number[] = [];
    const origin = center.clone().applyQuaternion(turn.clone().invert());
    // Lines fall on multiples of the step.
    for (const axis of [0, 1]) {
      const at = origin.getComponent(axis);
      for (let line = Math.ceil((at - reach) / coarse) * coarse; line <= at + reach; line += coarse) {
        const offset = line - at;
        const half = Math.sqrt(Math.max(0, reach * reach - offset * offset));
        const ends = axis === 0 ? [offset, -half, 0, offset, half, 0] : [-half, offset, 0, half, offset, 0];
        places.push(...ends);
      }
    }
    const lines = new THREE.LineSegments(
      new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(places, 3)),
      this.lines,
    );
    this.disc.side = THREE.DoubleSide;
    [disc, lines].forEach((object, order) => {
      object.position.copy(center);
      object.quaternion.copy(turn);
      object.renderOrder = -10 + order;
      object.frustumCulled = false;
      (object.material as THREE.Material).depthTest = false;
      (object.material as THREE.Material).depthWrite = false;
      this.group.add(object);
    });
  }

  private addHill(grid: Grid): void {
    const { nx, ny } = grid;
    const places = new Float32Array(3 * nx * ny);
    const triangles: number[] = [];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const at = j * nx + i;
        places.set([grid.x0 + i * grid.dx, grid.y0 + j * grid.dy, grid.heights.data[at]], 3 * at);
        if (i + 1 < nx && j + 1 < ny) triangles.push(at, at + 1, at + nx, at + 1, at + nx + 1, at + nx);
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
    geometry.setIndex(triangles);
    geometry.computeVertexNormals();
    this.hill = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
    const mesh = new THREE.Mesh(geometry, this.hill);
    mesh.renderOrder = -10;
    this.group.add(mesh);
  }

  private addShadows(structure: Structure, extent: Extent, figure: Figure, shared: Shared): void {
    const grid = this.ground.grid;
    const from = new THREE.Vector3(0.28, -0.22, 0).addScaledVector(this.normal, 1).normalize();
    const uniforms = {
      uNodes: { value: figure.nodeTexture },
      uPixel: shared.uPixel,
      uPlane: { value: new THREE.Vector4(this.normal.x, this.normal.y, this.normal.z, this.height()) },
      uFrom: { value: from },
      uFade: { value: 2.5 * extent.size },
      uLift: { value: 0.003 * extent.size },
      ...(grid ? heightUniforms(grid) : {}),
    };
    const add = (ends: number[], radius: number[]) => {
      const look = material(shadowVertex, shadowFragment, {
        ...uniforms,
        uShadow: { value: new THREE.Color() },
        uGround: { value: new THREE.Color() },
      });
      look.blending = THREE.CustomBlending;
      look.blendEquation = THREE.MinEquation;
      look.blendSrc = look.blendDst = THREE.OneFactor;
      look.transparent = false;
      look.depthWrite = false;
      look.depthTest = grid !== null;
      look.side = THREE.DoubleSide;
      if (grid) look.defines = { HEIGHTS: "" };
      const mesh = new THREE.Mesh(
        copies(ribbon(grid ? 12 : 1), { ends: [ends, 3], radius: [radius, 1] }, radius.length),
        look,
      );
      mesh.frustumCulled = false;
      mesh.renderOrder = -8;
      this.shadowGroup.add(mesh);
      this.shadows.push(look);
    };
    if (structure.bars.names.length > 0) add(figure.barEnds, structure.bars.radius);
    // Thin shadows of very many cables cost more than they show.
    const stretches = figure.cableEnds.length / 3;
    if (stretches > 0 && stretches <= 1200) add(figure.cableEnds, new Array<number>(stretches).fill(0));
  }
}

export function heightAt(grid: Grid, x: number, y: number): number {
  const gx = Math.min(Math.max((x - grid.x0) / grid.dx, 0), grid.nx - 1);
  const gy = Math.min(Math.max((y - grid.y0) / grid.dy, 0), grid.ny - 1);
  const i = Math.min(Math.floor(gx), grid.nx - 2);
  const j = Math.min(Math.floor(gy), grid.ny - 2);
  const h = grid.heights.data;
  const low = h[j * grid.nx + i] + (gx - i) * (h[j * grid.nx + i + 1] - h[j * grid.nx + i]);
  const high = h[(j + 1) * grid.nx + i] + (gx - i) * (h[(j + 1) * grid.nx + i + 1] - h[(j + 1) * grid.nx + i]);
  return low + (gy - j) * (high - low);
}

function heightUniforms(grid: Grid): Record<string, { value: unknown }> {
  const texture = new THREE.DataTexture(
    Float32Array.from(grid.heights.data), grid.nx, grid.ny, THREE.RedFormat, THREE.FloatType,
  );
  texture.needsUpdate = true;
  return {
    uHeights: { value: texture },
    uGrid: { value: new THREE.Vector4(grid.x0, grid.y0, grid.dx, grid.dy) },
    uCount: { value: new THREE.Vector2(grid.nx, grid.ny) },
  };
}
