// The few base shapes, and many copies of one in a single geometry. Copies are spelled out rather than instanced:
// browsers without a graphics processor draw every instance by itself, which costs them ten times as much.
import * as THREE from "three";

export interface Shape {
  places: number[]; // 3 values a vertex
  triangles: number[];
  extra?: { name: string; values: number[] }; // one further value a vertex
}

// A cylinder without ends: xy on the unit circle, z from 0 to 1.
export function tube(sides: number): Shape {
  const places: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= sides; i++) {
    const angle = (2 * Math.PI * i) / sides;
    places.push(Math.cos(angle), Math.sin(angle), 0, Math.cos(angle), Math.sin(angle), 1);
    if (i < sides) triangles.push(2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 1, 2 * i + 2, 2 * i + 3);
  }
  return { places, triangles };
}

// A strip: x is -1 or 1, y from 0 to 1 in `pieces`.
export function ribbon(pieces: number): Shape {
  const places: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= pieces; i++) {
    places.push(-1, i / pieces, 0, 1, i / pieces, 0);
    if (i < pieces) triangles.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2);
  }
  return { places, triangles };
}

export function square(): Shape {
  return { places: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], triangles: [0, 1, 2, 0, 2, 3] };
}

// An arrow: shaft from z = 0 to 1, head from 1 to 2; `wide` is the radius in units of the thickness.
export function arrow(sides: number): Shape {
  const profile = [[0, 0], [0, 1], [1, 1], [1, 3], [2, 0]]; // z, radius
  const places: number[] = [];
  const wide: number[] = [];
  const triangles: number[] = [];
  const row = profile.length;
  for (let i = 0; i <= sides; i++) {
    const angle = (2 * Math.PI * i) / sides;
    for (const [z, radius] of profile) {
      places.push(Math.cos(angle), Math.sin(angle), z);
      wide.push(radius);
    }
    if (i === sides) break;
    for (let k = 0; k + 1 < row; k++) {
      const at = i * row + k;
      triangles.push(at, at + row, at + 1, at + 1, at + row, at + row + 1);
    }
  }
  return { places, triangles, extra: { name: "wide", values: wide } };
}

// One geometry with a copy of the shape for every row of the attributes (name: values, values in a row).
export function copies(shape: Shape, attributes: Record<string, [ArrayLike<number>, number]>, count: number): THREE.BufferGeometry {
  const size = shape.places.length / 3;
  const geometry = new THREE.BufferGeometry();
  const places = new Float32Array(3 * size * count);
  const triangles = new Uint32Array(shape.triangles.length * count);
  for (let i = 0; i < count; i++) {
    places.set(shape.places, 3 * size * i);
    for (let k = 0; k < shape.triangles.length; k++) triangles[i * shape.triangles.length + k] = shape.triangles[k] + size * i;
  }
  geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
  for (const [name, [values, width]] of Object.entries(attributes)) {
    const spread = new Float32Array(width * size * count);
    for (let i = 0, at = 0; i < count; i++) {
      for (let v = 0; v < size; v++) for (let k = 0; k < width; k++) spread[at++] = values[width * i + k];
    }
    geometry.setAttribute(name, new THREE.BufferAttribute(spread, width));
  }
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  // Places come from the shader; nothing is to be found out from these.
  geometry.boundingSphere = new THREE.Sphere();
  return geometry;
}

// For few things whose number changes: instances.
export function instances(shape: Shape): THREE.InstancedBufferGeometry {
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.places, 3));
  if (shape.extra) geometry.setAttribute(shape.extra.name, new THREE.Float32BufferAttribute(shape.extra.values, 1));
  geometry.setIndex(shape.triangles);
  geometry.instanceCount = 0;
  return geometry;
}
