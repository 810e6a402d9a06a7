// Writes report pages as docs/report-format.md has it, independently of the program: an Arr anywhere in a document
// becomes a description and bytes.
import { deflateSync } from "node:zlib";

export class Arr {
  constructor(
    readonly shape: number[],
    readonly values: ArrayLike<number>,
    readonly type: "f8" | "f4" | "i2" | "i2 one scale" = "f4",
    readonly planes = true,
  ) {}
}

export function arr(shape: number[], values: ArrayLike<number>, type: Arr["type"] = "f4", planes = true): Arr {
  return new Arr(shape, values, type, planes);
}

export interface Encoded {
  json: string;
  base64: string;
}

export function encode(document: unknown): Encoded {
  const chunks: Uint8Array[] = [];
  let end = 0;
  const place = (bytes: Uint8Array): { offset: number; bytes: number } => {
    const offset = end;
    const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
    padded.set(bytes);
    chunks.push(padded);
    end += padded.length;
    return { offset, bytes: bytes.length };
  };
  const describe = (array: Arr): unknown => {
    const { shape, planes } = array;
    const bytes = (view: ArrayBufferView) => {
      const plain = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      const size = view.byteLength / Math.max(1, array.values.length);
      return place(planes ? split(plain, size) : plain);
    };
    if (array.type === "f8") return { type: "f8", shape, planes, ...bytes(Float64Array.from(array.values)) };
    if (array.type === "f4") return { type: "f4", shape, planes, ...bytes(Float32Array.from(array.values)) };
    const { integers, scale, base } = round(array);
    const row = shape.slice(1);
    const coded = array.type === "i2 one scale";
    return {
      type: "i2",
      shape,
      scale: coded ? scale[0] : describe(arr(row, scale)),
      base: coded ? undefined : describe(arr(row, base)),
      delta: true,
      planes,
      ...bytes(integers),
    };
  };
  const walk = (value: unknown): unknown => {
    if (value instanceof Arr) return describe(value);
    if (Array.isArray(value)) return value.map(walk);
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]));
    }
    return value;
  };
  const json = JSON.stringify(walk(document)).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const all = new Uint8Array(end);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return { json, base64: deflateSync(all, { level: 6 }).toString("base64") };
}

// Differences along the rows of integers in steps of the column's range.
function round(array: Arr): { integers: Int16Array; scale: Float32Array; base: Float32Array } {
  const { values, shape } = array;
  const columns = shape.slice(1).reduce((product, n) => product * n, 1);
  const common = array.type === "i2 one scale";
  const scale = new Float32Array(columns);
  const base = new Float32Array(columns);
  let largest = 0;
  for (let c = 0; c < columns; c++) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = c; i < values.length; i += columns) {
      if (!Number.isFinite(values[i])) continue;
      low = Math.min(low, values[i]);
      high = Math.max(high, values[i]);
      largest = Math.max(largest, Math.abs(values[i]));
    }
    if (low > high) continue;
    base[c] = common || (low <= 0 && high >= 0) ? 0 : 0.5 * (low + high);
    scale[c] = Math.max(high - base[c], base[c] - low) / 32767;
  }
  if (common) scale.fill(largest / 32767);
  const integers = new Int16Array(values.length);
  const before = new Int16Array(columns);
  for (let i = 0; i < values.length; i++) {
    const c = i % columns;
    const steps = scale[c] > 0 ? Math.round((values[i] - base[c]) / scale[c]) : 0;
    const integer = Number.isFinite(values[i]) ? Math.min(32767, Math.max(-32767, steps)) : -32768;
    integers[i] = integer - before[c];
    before[c] = integer;
  }
  return { integers, scale, base };
}

function split(bytes: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(bytes.length);
  const count = bytes.length / size;
  for (let i = 0; i < bytes.length; i++) out[(i % size) * count + Math.floor(i / size)] = bytes[i];
  return out;
}

export function dataElements({ json, base64 }: Encoded): string {
  return (
    `<script type="application/json" id="taut-document">${json}</script>\n` +
    `<script type="text/plain" id="taut-arrays">${base64}</script>\n`
  );
}

export function pageWith(page: string, elements: string): string {
  return page.replace("<!--taut:data-->", () => elements);
}

export function reportPage(page: string, document: unknown): string {
  return pageWith(page, dataElements(encode(document)));
}
