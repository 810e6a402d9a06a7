// The decoder against the encoder, and against bytes written out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64, inflate, Numbers, readArray, ReportError } from "../src/arrays";
import { arr, encode, type Arr } from "./encode";

async function through(array: Arr): Promise<Numbers> {
  const { json, base64 } = encode({ x: array });
  return readArray(JSON.parse(json).x, await inflate(decodeBase64(base64)), "x");
}

test("f8 and f4 come back exactly, with planes and without", async () => {
  const values = [0, -1.5, Math.PI, 1e300, -1e-300, NaN, Infinity];
  for (const planes of [true, false]) {
    const got = await through(arr([7], values, "f8", planes));
    assert.deepEqual([...got.data], values);
    const single = await through(arr([7], values.map(Math.fround), "f4", planes));
    assert.deepEqual([...single.data], values.map(Math.fround));
  }
});

test("i2 comes back to half a step of each column, and gaps as NaN", async () => {
  const rows = 50;
  const values = Array.from({ length: rows * 3 }, (_, i) => [1e6 + i, 1e-6 * Math.sin(i), i % 7][i % 3]);
  values[31] = NaN;
  for (const planes of [true, false]) {
    const got = await through(arr([rows, 3], values, "i2", planes));
    for (let i = 0; i < values.length; i++) {
      if (Number.isNaN(values[i])) assert.ok(Number.isNaN(got.data[i]));
      // Half a step of 1/65534 of the column's range, and the rounding of a float.
      else assert.ok(Math.abs(got.data[i] - values[i]) <= [147, 2e-6, 6][i % 3] / 65534 + 1.2e-7 * Math.abs(values[i]));
    }
    const common = await through(arr([rows, 3], values.map((x) => x % 10), "i2 one scale", planes));
    for (let i = 0; i < values.length; i++) {
      if (!Number.isNaN(values[i])) assert.ok(Math.abs(common.data[i] - (values[i] % 10)) < 10 / 32767);
    }
  }
});

test("bytes by hand: differences wrap modulo 2^16, planes apart", () => {
  // Column of 32000, then +1000 wraps to -32536; scale 0.5. Low bytes first, then high ones.
  const [first, step] = [32000, 1000];
  const bytes = Uint8Array.from([first & 255, step & 255, first >> 8, step >> 8]);
  const got = readArray({ type: "i2", shape: [2, 1], offset: 0, scale: 0.5, delta: true, planes: true }, bytes, "x");
  assert.deepEqual([...got.data], [16000, -16268]);
  assert.deepEqual([...got.column(0)], [16000, -16268]);
});

test("a base is added to every row; -32768 is no number", () => {
  const bytes = new Uint8Array(16);
  new Float32Array(bytes.buffer, 0, 2).set([2, 10]);
  new Int16Array(bytes.buffer, 8, 2).set([3, -32768]);
  const scale = { type: "f4", shape: [1], offset: 0 };
  const base = { type: "f4", shape: [1], offset: 4 };
  const got = readArray({ type: "i2", shape: [2, 1], offset: 8, scale, base }, bytes, "x");
  assert.deepEqual([...got.data], [16, NaN]);
});

test("what does not fit is refused with its place", () => {
  const bytes = new Uint8Array(16);
  const cases: [unknown, RegExp][] = [
    [null, /here: expected an array/],
    [[1], /expected an array/],
    [{ type: "u1", shape: [1], offset: 0 }, /here: the type "u1"/],
    [{ type: "constructor", shape: [1], offset: 0 }, /the type/],
    [{ type: "f8", shape: [3], offset: 0 }, /end after 16 bytes, 24 are needed/],
    [{ type: "f8", shape: [2], offset: 8 }, /24 are needed/],
    [{ type: "f8", shape: [-1], offset: 0 }, /shape/],
    [{ type: "f8", shape: [1e300, 1e300], offset: 0 }, /shape/],
    [{ type: "f8", shape: [2 ** 50, 2 ** 50], offset: 0 }, /needed/],
    [{ type: "f8", shape: [1], offset: -8 }, /offset/],
    [{ type: "f8", shape: [1] }, /offset/],
    [{ type: "i2", shape: [1], offset: 0 }, /scale: missing/],
    [{ type: "i2", shape: [2, 2], offset: 0, scale: { type: "f4", shape: [3], offset: 0 } }, /3 numbers for 2 columns/],
  ];
  for (const [value, words] of cases) {
    assert.throws(() => readArray(value, bytes, "here"), (error: Error) => error instanceof ReportError && words.test(error.message));
  }
});

test("base64 with and without breaks; foreign characters are refused", () => {
  for (const text of ["", "a", "ab", "abc", "abcd", "Ünïcödé 🙂"]) {
    const bytes = Buffer.from(text);
    assert.deepEqual(Buffer.from(decodeBase64(bytes.toString("base64"))), bytes);
    assert.deepEqual(Buffer.from(decodeBase64(bytes.toString("base64").replace(/=/g, "").replace(/(.{3})/g, "$1\n"))), bytes);
  }
  assert.throws(() => decodeBase64("ab*d"), ReportError);
  assert.throws(() => decodeBase64("ab😀d"), ReportError);
});

test("damaged bytes do not unpack", async () => {
  await assert.rejects(inflate(Uint8Array.from([1, 2, 3, 4])), /damaged/);
  const { base64 } = encode({ x: arr([1000], new Array(1000).fill(1).map((_, i) => i), "f8") });
  const cut = decodeBase64(base64.slice(0, 200));
  await assert.rejects(inflate(Uint8Array.from(cut)), /damaged/);
});
