// Arrays of the report: descriptors that point into one block of bytes, decoded when first used.

// What is wrong with a report, in words for its reader.
export class ReportError extends Error {}

type Raw = Float32Array | Float64Array;

const sizes: Record<string, number> = { f8: 8, f4: 4, i2: 2 };
const noValue = -32768; // of i2: a number that is not finite

// A row-major block of numbers. Decoding waits until data is asked for.
export class Numbers {
  readonly length: number;
  readonly rowLength: number; // values in a row of the first dimension
  private raw: Raw | null = null;

  constructor(
    readonly shape: readonly number[],
    private readonly decode: () => Raw,
  ) {
    this.length = product(shape);
    this.rowLength = product(shape.slice(1));
  }

  static of(values: readonly number[]): Numbers {
    return new Numbers([values.length], () => Float64Array.from(values));
  }

  get data(): Raw {
    return (this.raw ??= this.decode());
  }

  // Value in row r, column c.
  get(r: number, c: number): number {
    return this.data[r * this.rowLength + c];
  }

  // Column c over all rows.
  column(c: number): Float64Array {
    const data = this.data;
    const rows = this.shape[0];
    const out = new Float64Array(rows);
    for (let r = 0, i = c; r < rows; r++, i += this.rowLength) out[r] = data[i];
    return out;
  }

  // Smallest and largest finite value; [0, 0] where there is none.
  range(): [number, number] {
    const data = this.data;
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < data.length; i++) {
      const value = data[i];
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
    return low > high ? [0, 0] : [low, high];
  }
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((all, n) => all * n, 1);
}

// A descriptor as it stands in the document, checked against the bytes that are there.
export function readArray(value: unknown, bytes: Uint8Array, where: string): Numbers {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ReportError(`${where}: expected an array description`);
  }
  const { type, shape, offset, scale, base, delta, planes } = value as Record<string, unknown>;
  const size = typeof type === "string" && Object.hasOwn(sizes, type) ? sizes[type] : undefined;
  if (size === undefined) throw new ReportError(`${where}: the type ${text(type)} is not f8, f4 or i2`);
  if (!Array.isArray(shape) || shape.length === 0 || !shape.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    throw new ReportError(`${where}: the shape ${text(shape)} is not a list of sizes`);
  }
  const count = product(shape as number[]);
  const start = offset as number;
  if (!Number.isSafeInteger(start) || start < 0) throw new ReportError(`${where}: the offset ${text(offset)} is wrong`);
  if (start + count * size > bytes.length) {
    throw new ReportError(`${where}: the data end after ${bytes.length} bytes, ${start + count * size} are needed`);
  }
  const own = (): Uint8Array<ArrayBuffer> =>
    planes === true ? gather(bytes, start, count, size) : bytes.slice(start, start + count * size);
  if (type === "f8") return new Numbers(shape as number[], () => new Float64Array(own().buffer));
  if (type === "f4") return new Numbers(shape as number[], () => new Float32Array(own().buffer));

  const row = product((shape as number[]).slice(1));
  const scales = readColumn(scale, row, bytes, `${where}.scale`);
  const bases = base == null ? null : readColumn(base, row, bytes, `${where}.base`);
  const layout = { start, count, row, delta: delta === true, planes: planes === true };
  return new Numbers(shape as number[], () => {
    const starts = bases === null ? new Float32Array(row) : columnValues(bases, row);
    return readIntegers(bytes, layout, columnValues(scales, row), starts);
  });
}

// In one pass: bytes together, differences summed up modulo 2^16, scaled.
function readIntegers(
  bytes: Uint8Array,
  { start, count, row, delta, planes }: { start: number; count: number; row: number; delta: boolean; planes: boolean },
  factors: Raw,
  starts: Raw,
): Float32Array {
  const out = new Float32Array(count);
  const sums = new Int32Array(row);
  const step = planes ? 1 : 2;
  let low = start;
  let high = planes ? start + count : start + 1;
  for (let i = 0; i < count; ) {
    for (let c = 0; c < row; c++, i++, low += step, high += step) {
      const stored = bytes[low] | (bytes[high] << 8);
      const integer = ((delta ? sums[c] + stored : stored) << 16) >> 16;
      sums[c] = integer;
      out[i] = integer === noValue ? NaN : starts[c] + factors[c] * integer;
    }
  }
  return out;
}

// A number for all columns, or an array with one for each.
function readColumn(value: unknown, row: number, bytes: Uint8Array, where: string): number | Numbers {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value == null) throw new ReportError(`${where}: missing`);
  const numbers = readArray(value, bytes, where);
  if (numbers.length !== row) throw new ReportError(`${where}: ${numbers.length} numbers for ${row} columns`);
  return numbers;
}

function columnValues(values: number | Numbers, row: number): Raw {
  return typeof values === "number" ? new Float64Array(row).fill(values) : values.data;
}

// Byte planes back into values.
function gather(bytes: Uint8Array, start: number, count: number, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(count * size);
  for (let plane = 0; plane < size; plane++) {
    for (let i = 0, from = start + plane * count, to = plane; i < count; i++, from++, to += size) out[to] = bytes[from];
  }
  return out;
}

function text(value: unknown): string {
  return (JSON.stringify(value) ?? "(missing)").slice(0, 60);
}

const digits = new Uint8Array(256).fill(255);
for (let i = 0; i < 64; i++) {
  digits["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(i)] = i;
}

// Base64, with or without line breaks and padding.
export function decodeBase64(source: string): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(Math.floor((source.length * 3) / 4) + 3);
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    const digit = code < 256 ? digits[code] : 255;
    if (digit === 255) {
      // Line breaks, spaces and padding carry nothing.
      if (code === 61 || code === 10 || code === 13 || code === 32 || code === 9) continue;
      throw new ReportError(`the data hold a character that does not belong there (at ${i} of ${source.length})`);
    }
    held = ((held << 6) | digit) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[length++] = (held >> bits) & 255;
    }
  }
  return out.subarray(0, length);
}

// Undoes zlib compression with the browser's own decoder.
export async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof DecompressionStream === "undefined") {
    throw new ReportError("this browser cannot unpack the data: use a browser of 2023 or later");
  }
  try {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new ReportError("the data are damaged or were cut short: they cannot be unpacked");
  }
}
