// Support symbols: a cone under a node that is held in all directions, one cone for each axis of a node held in some.
import * as THREE from "three";
import type { Palette } from "../colors";
import type { Structure } from "../document";
import { material, type Figure, type Shared } from "./figure";
import { attachedVertex, rodFragment } from "./shaders";

export class SupportView {
  readonly group = new THREE.Group();
  private readonly look: THREE.ShaderMaterial;

  // `symbol`: size of symbols, m.
  constructor(structure: Structure, symbol: number, up: THREE.Vector3, figure: Figure, shared: Shared) {
    this.look = material(attachedVertex, rodFragment, {
      uNodes: { value: figure.nodeTexture },
      uUp: shared.uUp,
      uSun: shared.uSun,
      uPixel: shared.uPixel,
      uMark: { value: -1 },
      uColor: { value: new THREE.Color() },
      uMarkColor: { value: new THREE.Color() },
    });
    const axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
    const places: number[] = [];
    const normals: number[] = [];
    const corners: number[] = [];
    const add = (node: number, axis: THREE.Vector3, size: number) => {
      // The tip at the node, the base below it.
      const cone = new THREE.ConeGeometry(0.5, 1, 4, 1).toNonIndexed().rotateY(Math.PI / 4).translate(0, -0.5, 0);
      cone.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis));
      cone.scale(size, size, size);
      cone.computeVertexNormals();
      places.push(...cone.getAttribute("position").array);
      normals.push(...cone.getAttribute("normal").array);
      for (let i = 0; i < cone.getAttribute("position").count; i++) corners.push(node);
    };
    structure.nodes.fixed.forEach((bits, node) => {
      if (bits === 7) add(node, up, 0.055 * symbol);
      else axes.forEach((axis, k) => bits & (1 << k) && add(node, axis, 0.038 * symbol));
    });
    if (corners.length === 0) return;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
    geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
    geometry.setAttribute("corner", new THREE.Float32BufferAttribute(corners, 1));
    const mesh = new THREE.Mesh(geometry, this.look);
    mesh.frustumCulled = false;
    this.group.add(mesh);
  }

  paint(palette: Palette): void {
    this.look.uniforms.uColor.value.set(palette.support);
  }
}
