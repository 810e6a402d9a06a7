// Small readers of JSON values: each takes what is there, or says where something else was found.
import { readArray, ReportError, type Numbers } from "./arrays";

export type Json = Record<string, unknown>;

export function record(value: unknown, where: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ReportError(`${where}: expected an object`);
  }
  return value as Json;
}

// An absent list is empty.
export function list(value: unknown, where: string): unknown[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw new ReportError(`${where}: expected a list`);
  return value;
}

// Numbers and truth values become text; anything else that is no text is empty.
export function text(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

export function readTexts(value: unknown, where: string): string[] {
  return list(value, where).map(text);
}

export function number(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}

// A list of `count` numbers, or the fallback where it is absent.
export function vector(value: unknown, count: number, fallback: number[], where: string): number[] {
  if (value == null) return fallback;
  const values = list(value, where);
  if (values.length !== count || !values.every((x) => typeof x === "number" && Number.isFinite(x))) {
    throw new ReportError(`${where}: expected ${count} numbers`);
  }
  return values as number[];
}

// Indices below `limit`.
export function indices(value: unknown, limit: number, where: string): number[] {
  const values = list(value, where);
  for (const index of values) {
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= limit) {
      throw new ReportError(`${where}: ${JSON.stringify(index)} is not an index below ${limit}`);
    }
  }
  return values as number[];
}

// Names of `count` things; where there are none, `prefix` with a number.
export function names(value: unknown, count: number, prefix: string, where: string): string[] {
  const given = readTexts(value, where);
  if (given.length !== 0 && given.length !== count) {
    throw new ReportError(`${where}: ${given.length} names for ${count}`);
  }
  return given.length === count ? given : Array.from({ length: count }, (_, i) => `${prefix} ${i + 1}`);
}

// An array of the given shape, null where it is absent. A shape entry of -1 is free.
export function array(value: unknown, shape: number[], bytes: Uint8Array, where: string): Numbers | null {
  if (value == null) return null;
  const numbers = readArray(value, bytes, where);
  if (numbers.shape.length !== shape.length || !shape.every((n, i) => n === -1 || n === numbers.shape[i])) {
    const wanted = shape.map((n) => (n === -1 ? "any" : n)).join(" × ");
    throw new ReportError(`${where}: the shape is ${numbers.shape.join(" × ")}, expected ${wanted}`);
  }
  return numbers;
}
