// Ticks, numbers in words, decimation, bands, axes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Numbers } from "../src/arrays";
import { forceColor, viridisAt } from "../src/colors";
import { Axis, spanOf } from "../src/plot/axes";
import { ascends, decimate, envelope, largestColumns, strains, valueAt } from "../src/plot/series";
import { cut, number, quantity, ticks, tickText } from "../src/text";

test("ticks are 1, 2 or 5 times a power of ten, inside, and about as many as wanted", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < 500; i++) {
    const low = (random() - 0.5) * 10 ** (8 * random() - 4);
    const high = low + 10 ** (8 * random() - 4);
    const found = ticks(low, high, 5);
    assert.ok(found.length >= 2 && found.length <= 9, `${low} ${high}: ${found}`);
    const step = found[1] - found[0];
    const lead = step / 10 ** Math.floor(Math.log10(step) + 1e-6);
    assert.ok([1, 2, 5].some((each) => Math.abs(lead - each) < 1e-3), `step ${step}`);
    assert.ok(found[0] >= low - 1e-6 * step && found[found.length - 1] <= high + 1e-6 * step);
  }
  assert.deepEqual(ticks(0, 0, 5), [0]);
  assert.equal(tickText(-0.25, 0.05), "−0.25");
  assert.equal(tickText(2e-13, 1e-13), "2·10⁻¹³");
  assert.equal(tickText(0, 1e-13), "0");
});

test("numbers and quantities in words", () => {
  assert.equal(number(0), "0");
  assert.equal(number(-1234.567), "−1235");
  assert.equal(number(1.5e-7), "1.5·10⁻⁷");
  assert.equal(number(NaN), "–");
  assert.equal(quantity(0.00123, "m"), "1.23 mm");
  assert.equal(quantity(1234, "m"), "1234 m");
  assert.equal(quantity(12340, "N"), "12.34 kN");
  assert.equal(quantity(1, "N"), "1 N");
  assert.equal(quantity(1000, "J"), "1 kJ");
  assert.equal(quantity(3, ""), "3");
});

test("long texts are cut, never inside a pair of surrogates", () => {
  assert.equal(cut("short", 10), "short");
  assert.equal(cut("a b\n\tc", 10), "a b c");
  assert.equal(cut("x".repeat(10000), 5), "xxxx…");
  const emoji = cut("🤖".repeat(50), 10);
  assert.equal(emoji, "🤖".repeat(9) + "…");
  assert.ok(!/[\ud800-\udbff]$/.test(cut("🤖".repeat(5000), 10).slice(0, -1).slice(-1) + "a"));
});

test("decimation keeps the first, lowest, highest and last point of every column, in order", () => {
  const count = 20000;
  const x = Float64Array.from({ length: count }, (_, i) => i);
  const y = Float64Array.from({ length: count }, (_, i) => Math.sin(i / 10) + (i === 7777 ? 50 : 0));
  const visited: number[] = [];
  decimate(x, y, 0, count, (value) => value / 100, (i) => visited.push(i));
  assert.ok(visited.length <= 4 * 200 && visited.length >= 400);
  for (let i = 1; i < visited.length; i++) assert.ok(visited[i] > visited[i - 1]);
  assert.ok(visited.includes(7777));
  for (let column = 0; column < 200; column++) {
    const inside = Array.from(y.slice(100 * column, 100 * column + 100));
    const drawn = visited.filter((i) => Math.floor(i / 100) === column).map((i) => y[i]);
    assert.equal(Math.max(...drawn), Math.max(...inside));
    assert.equal(Math.min(...drawn), Math.min(...inside));
  }
  const gaps = Float64Array.from([1, NaN, NaN, 2, 3, NaN]);
  const seen: number[] = [];
  decimate(x, gaps, 0, 6, () => 0, (i) => seen.push(i));
  assert.deepEqual(seen.filter((i) => Number.isNaN(gaps[i])), [1, 2, 5]);
});

test("largest columns, envelopes and strains", () => {
  const values = new Numbers([3, 4], () => Float64Array.from([0, 1, -9, 2, 0, 5, 1, 2, 0, NaN, 1, 3]));
  assert.deepEqual(largestColumns(values, 2), [2, 1]);
  const { low, high } = envelope(values);
  assert.deepEqual([...low], [-9, 0, 0]);
  assert.deepEqual([...high], [2, 5, 3]);
  const lengths = new Numbers([2, 2], () => Float64Array.from([1, 2, 1.1, 2]));
  const found = strains(lengths, null, [1, 2.5])!;
  assert.ok([0, -20, 10, -20].every((value, i) => Math.abs(found.data[i] - value) < 1e-4));
  assert.equal(strains(lengths, null, []), null);
  const moving = new Numbers([2, 2], () => Float64Array.from([1, 2, 1, 1]));
  assert.equal(strains(lengths, moving, [])!.data[3], 100);
});

test("values between points, and none outside", () => {
  assert.equal(valueAt([0, 1, 3], [5, 7, 1], 2), 4);
  assert.equal(valueAt([0, 1, 3], [5, 7, 1], 3), 1);
  assert.ok(Number.isNaN(valueAt([0, 1, 3], [5, 7, 1], 3.1)));
  assert.ok(Number.isNaN(valueAt([], [], 0)));
  assert.ok(ascends([0, 0, 1]) && !ascends([0, 2, 1]) && !ascends([0, NaN]));
});

test("axes: pixels and values are inverse, logarithmic too; constants get room", () => {
  for (const log of [false, true]) {
    const axis = new Axis(log);
    axis.setSpan(0.01, 100, 0.05);
    [axis.from, axis.to] = [40, 400];
    for (const value of [0.01, 0.5, 3, 100]) assert.ok(Math.abs(axis.value(axis.pixel(value)) - value) < 1e-9 * value + 1e-12);
    assert.ok(axis.ticks(5).length >= 3);
  }
  const flat = new Axis(false);
  flat.setSpan(7, 7, 0.05);
  assert.ok(flat.low < 7 && flat.high > 7);
  flat.setSpan(Infinity, -Infinity, 0.05);
  assert.ok(flat.low < flat.high);
  const tiny = new Axis(false);
  tiny.setSpan(1e-14, 3e-14, 0);
  assert.deepEqual([tiny.low, tiny.high], [1e-14, 3e-14]);
  assert.deepEqual(spanOf([{ x: [0, 1, 2], y: [5, -3, NaN], upper: [6, 9, 1] }], 0, 1, false), [-3, 9]);
  assert.deepEqual(spanOf([{ x: [0, 1], y: [5, -3] }], 0, 1, true), [5, 5]);
});

test("the colour scale gets steadily lighter or darker, so that any eye can read it", () => {
  const light = ([r, g, b]: number[]) => 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2;
  for (const dark of [false, true]) {
    for (let i = 1; i <= 32; i++) {
      const step = light(forceColor(i / 32, dark)) - light(forceColor((i - 1) / 32, dark));
      assert.ok(dark ? step > 0 : step < 0, `at ${i / 32}`);
    }
  }
  assert.deepEqual(viridisAt(-1), viridisAt(0));
});
