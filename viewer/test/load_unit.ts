// From documents to reports: what is read, what is refused, and that nothing else is ever thrown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportError } from "../src/arrays";
import { loadReport } from "../src/load";
import { encode } from "./encode";
import { compared, hostile, model, modes, rolling, terrain, tower } from "./fixtures";

const load = (document: unknown) => {
  const { json, base64 } = encode(document);
  return loadReport(json, base64);
};

test("every fixture is read with all its parts", async () => {
  const run = await load(rolling(1));
  assert.equal(run.structure?.cables.names.length, 24);
  assert.equal(run.runs[0].t.length, 101);
  assert.equal(run.runs[0].slackEvents.length, 3);
  assert.equal(run.runs[0].inputs?.unit, "m");
  assert.equal((await load(modes())).modes[3].frequencyHz, 31.8);
  assert.equal((await load(model())).structure?.loads[0].to, Infinity);
  assert.equal((await load(terrain())).structure?.ground?.grid?.nx, 40);
  assert.equal((await load(tower(100, 0.1))).structure?.bars.names.length, 100);
  const both = await load(compared());
  assert.equal(both.runs.length, 2);
  assert.ok(both.plots[0].series[1].published);
  assert.ok(Number.isNaN(both.plots[1].series[0].y.data[2]));
  assert.equal((await load(hostile())).structure?.nodes.names.length, 12);
});

test("a report of format 1 alone is enough", async () => {
  const empty = await load({ format: 1 });
  assert.equal(empty.title, "Report");
  assert.deepEqual([empty.runs, empty.modes, empty.plots, empty.tables, empty.warnings, empty.notes], [[], [], [], [], [], []]);
});

test("formats: newer, missing, foreign", async () => {
  await assert.rejects(load({ format: 2 }), /format 2; this page reads formats up to 1/);
  for (const format of [undefined, "1", 0, 1.5, null]) await assert.rejects(load({ format }), ReportError);
  await assert.rejects(loadReport(null, null), /holds no data/);
  await assert.rejects(loadReport("{", null), /damaged or was cut short/);
});

// Every value in turn replaced by something else: the report is read or refused in words, never an exception of another
// kind.
test("damaged documents are refused in words", async () => {
  const { json, base64 } = encode(terrain());
  const wrong: unknown[] = [null, -1, 1e9, "x", [], {}, [[]], true];
  const places: (string | number)[][] = [];
  const walk = (value: unknown, path: (string | number)[]) => {
    if (path.length > 0) places.push(path);
    if (Array.isArray(value)) value.slice(0, 2).forEach((each, i) => walk(each, [...path, i]));
    else if (value !== null && typeof value === "object") for (const [key, each] of Object.entries(value)) walk(each, [...path, key]);
  };
  walk(JSON.parse(json), []);
  assert.ok(places.length > 100);
  let refused = 0;
  for (const path of places) {
    for (const value of wrong) {
      const document = JSON.parse(json);
      let at = document;
      for (const key of path.slice(0, -1)) at = at[key];
      at[path[path.length - 1]] = value;
      try {
        const report = await loadReport(JSON.stringify(document), base64);
        for (const run of report.runs) for (const part of Object.values(run)) if (part && typeof part === "object" && "data" in part) void part.data;
      } catch (error) {
        assert.ok(error instanceof ReportError, `${path.join(".")} = ${JSON.stringify(value)}: ${String(error)}`);
        refused++;
      }
    }
  }
  assert.ok(refused > 300);
});
