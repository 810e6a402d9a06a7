// The motions and mode shapes of a report.
import { ReportError } from "./arrays";
import type { Channels, Mode, Run, Structure } from "./document";
import { array, indices, list, number, readTexts, record, text, type Json } from "./read";

export function readRun(json: Json, bytes: Uint8Array, structure: Structure | null, where: string): Run {
  const t = array(json.t, [-1], bytes, `${where}.t`);
  if (t === null || t.length === 0) throw new ReportError(`${where}.t: missing or empty`);
  const times = t.data;
  for (let i = 0; i < times.length; i++) {
    if (!Number.isFinite(times[i]) || (i > 0 && times[i] < times[i - 1])) {
      throw new ReportError(`${where}.t: the times do not ascend (row ${i})`);
    }
  }
  const T = t.length;
  const N = structure?.nodes.names.length ?? 0;
  const C = structure?.cables.names.length ?? 0;
  const supportNodes = indices(json.support_nodes, N, `${where}.support_nodes`);
  const get = (key: string, ...shape: number[]) => array(json[key], [T, ...shape], bytes, `${where}.${key}`);
  const channels = (key: string): Channels | null => {
    if (json[key] == null) return null;
    const group = record(json[key], `${where}.${key}`);
    const labels = readTexts(group.names, `${where}.${key}.names`);
    const values = array(group.values, [T, labels.length], bytes, `${where}.${key}.values`);
    return values === null ? null : { names: labels, unit: text(group.unit), values };
  };
  return {
    label: text(json.label) || "run",
    t,
    nodes: get("nodes", N, 3),
    origin: get("origin", 3),
    tensions: get("tensions", C),
    lengths: get("lengths", C),
    restLengths: get("rest_lengths", C),
    barForces: get("bar_forces", structure?.bars.names.length ?? 0),
    energy: get("energy", 7),
    constraintError: get("constraint_error"),
    contactForces: get("contact_forces", N, 3),
    supportNodes,
    supportForces: get("support_forces", supportNodes.length, 3),
    bodies: get("bodies", structure?.bodies.length ?? 0, 7),
    frames: get("frames", structure?.frames.length ?? 0, 6),
    inputs: channels("inputs"),
    targets: channels("targets"),
    errors: channels("errors"),
    slackEvents: list(json.slack_events, `${where}.slack_events`).map((entry, i) => {
      const event = record(entry, `${where}.slack_events[${i}]`);
      return {
        time: number(event.time, 0),
        cable: indices([event.cable], C, `${where}.slack_events[${i}].cable`)[0],
        kind: event.kind === "taut" ? ("taut" as const) : ("slack" as const),
      };
    }),
  };
}

export function readModes(values: unknown[], bytes: Uint8Array, structure: Structure | null): Mode[] {
  const count = structure?.nodes.names.length ?? 0;
  return values.map((entry, i) => {
    const json = record(entry, `modes[${i}]`);
    const shape = array(json.shape, [count, 3], bytes, `modes[${i}].shape`);
    if (shape === null) throw new ReportError(`modes[${i}].shape: missing`);
    return {
      label: text(json.label) || `mode ${i + 1}`,
      frequencyHz: number(json.frequency_hz, NaN),
      dampingRatio: number(json.damping_ratio, NaN),
      shape,
      bodies: array(json.bodies, [structure?.bodies.length ?? 0, 6], bytes, `modes[${i}].bodies`),
    };
  });
}
