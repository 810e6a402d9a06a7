// What is known of the member or node that was clicked or searched for: values now, and over time.
import type { Run } from "../document";
import { button, el } from "../dom";
import { timeSpec } from "../plot/catalog";
import { Plot, type PlotHost, type PlotSpec } from "../plot/plot";
import { lineOf } from "../plot/series";
import { namesOf, type Pick, type PickKind } from "../scene/pick";
import type { State } from "../state";
import { Track } from "../track";
import { cut, number, quantity } from "../text";

const kinds: PickKind[] = ["node", "bar", "cable", "body", "joint"];

export class SelectionPanel {
  readonly element = el("div", { class: "selection" });
  private readonly box = el("div");
  private plots: Plot[] = [];
  private values: { cell: HTMLElement; text: () => string }[] = [];

  constructor(
    private readonly state: State,
    private readonly host: PlotHost,
  ) {
    this.element.append(this.search(), this.box);
    state.on("selection", () => this.build());
    state.on("motion", () => this.build());
    state.on("overlays", () => this.plots.forEach((plot) => plot.rebuild()));
    state.on("theme", () => this.plots.forEach((plot) => plot.refresh()));
    this.build();
  }

  setTime(time: number, withNumbers: boolean): void {
    for (const plot of this.plots) plot.setTime(time, withNumbers);
    if (withNumbers) this.write();
  }

  // By name, for those who do not click; suggestions are made when first needed.
  private search(): HTMLElement {
    const names = el("datalist", { id: "member-names" });
    const field = el("input", {
      type: "search", list: "member-names", placeholder: "Find a node, bar, cable or body", "aria-label": "Find a node, bar, cable, body or joint",
      autocomplete: "off", spellcheck: "false",
    });
    const structure = this.state.report.structure;
    field.addEventListener("focus", () => {
      if (!structure || names.childElementCount > 0) return;
      const all = new Set(kinds.flatMap((kind) => namesOf(structure)[kind]).filter((name) => name !== ""));
      for (const name of [...all].slice(0, 5000)) if (name.length <= 200) names.append(el("option", { value: name }));
    });
    const find = () => {
      const wanted = field.value.trim();
      if (!structure || wanted === "") return;
      const lists = namesOf(structure);
      for (const same of [(a: string) => a === wanted, (a: string) => a.toLowerCase().startsWith(wanted.toLowerCase())]) {
        for (const kind of kinds) {
          const index = lists[kind].findIndex(same);
          if (index >= 0) return this.state.select({ kind, index });
        }
      }
      field.setCustomValidity(`There is no “${cut(wanted, 40)}”.`);
      field.reportValidity();
    };
    field.addEventListener("input", () => field.setCustomValidity(""));
    field.addEventListener("change", find);
    return el("div", { class: "search" }, field, names);
  }

  private build(): void {
    const pick = this.state.selection;
    this.plots = [];
    this.values = [];
    this.box.replaceChildren();
    if (!pick) {
      this.box.append(el("p", { class: "empty" }, "Click a node, bar, cable, body or joint in the scene, or type its name, to see its values over time."));
      return;
    }
    const name = this.state.nameOf(pick);
    const close = button("Clear", () => this.state.select(null), { class: "quiet" });
    const kind = pick.kind[0].toUpperCase() + pick.kind.slice(1);
    this.box.append(
      el("div", { class: "picked" }, el("div", {}, el("div", { class: "picked-kind" }, kind), el("h3", { title: name.slice(0, 10000) }, cut(name, 60))), close),
    );
    const table = el("table", { class: "values" });
    const row = (label: string, text: () => string) => {
      const cell = el("td");
      this.values.push({ cell, text });
      table.append(el("tr", {}, el("th", { scope: "row" }, label), cell));
    };
    const specs = {
      node: () => this.node(pick, row),
      bar: () => this.bar(pick, row),
      cable: () => this.cable(pick, row),
      body: () => this.body(pick, row),
      joint: () => this.joint(pick, row),
    }[pick.kind]();
    this.box.append(table);
    if (!this.state.clock.still) {
      for (const spec of specs) {
        const plot = new Plot(spec, this.host);
        this.plots.push(plot);
        this.box.append(el("section", { class: "card plain" }, el("h4", {}, `${spec.title}, ${spec.unit}`), plot.element));
      }
    }
    this.setTime(this.state.clock.time, true);
  }

  private write(): void {
    this.state.track.seek(this.state.clock.time);
    for (const { cell, text } of this.values) {
      const words = text();
      if (cell.textContent !== words) cell.textContent = words;
    }
  }

  private node(pick: Pick, row: Row): PlotSpec[] {
    const { state } = this;
    const { structure } = state.report;
    const track = () => state.track;
    const coordinate = (axis: number): number => {
      const { run } = track();
      const origin = run.origin ? track().mix(run.origin, axis) : 0;
      return run.nodes ? origin + track().mix(run.nodes, 3 * pick.index + axis) : structure!.nodes.positions.data[3 * pick.index + axis];
    };
    ["x", "y", "z"].forEach((axis, k) => row(axis, () => quantity(coordinate(k), "m", 5)));
    const fixed = structure?.nodes.fixed[pick.index] ?? 0;
    const held = ["x", "y", "z"].filter((_, k) => fixed & (1 << k)).join(", ");
    row("held", () => (fixed === 7 ? "fixed" : held || "free"));
    const contact = (part: (values: number[]) => number) => () => {
      const forces = track().run.contactForces;
      return forces ? quantity(part([0, 1, 2].map((k) => track().mix(forces, 3 * pick.index + k))), "N") : "–";
    };
    if (track().run.contactForces) row("contact force", contact((f) => Math.hypot(...f)));
    const specs = [
      timeSpec("Coordinates", "m", this.runs, (run, x) => {
        if (!run.nodes) return [];
        const place = new Track(run, structure);
        return ["x", "y", "z"].map((axis, k) => {
          const values = run.nodes!.column(3 * pick.index + k);
          if (run.origin) for (let r = 0; r < place.rows; r++) values[r] += run.origin.get(r, k);
          return lineOf(axis, x, values, k);
        });
      }),
    ];
    if (track().run.contactForces) {
      specs.push(
        timeSpec("Contact force", "N", this.runs, (run, x) =>
          ["x", "y", "z"].flatMap((axis, k) =>
            run.contactForces ? [lineOf(axis, x, run.contactForces.column(3 * pick.index + k), k)] : [],
          ),
        ),
      );
    }
    return specs;
  }

  private bar(pick: Pick, row: Row): PlotSpec[] {
    const { structure } = this.state.report;
    const bars = structure!.bars;
    const names = structure!.nodes.names;
    row("ends", () => `${cut(names[bars.a[pick.index]], 20)}, ${cut(names[bars.b[pick.index]], 20)}`);
    row("radius", () => quantity(bars.radius[pick.index], "m", 3));
    if (!this.state.track.run.barForces) return [];
    row("force", () => {
      const { run } = this.state.track;
      const force = run.barForces ? this.state.track.mix(run.barForces, pick.index) : NaN;
      return `${quantity(force, "N")} ${force < 0 ? "(compression)" : force > 0 ? "(tension)" : ""}`;
    });
    return [
      timeSpec("Force, tension positive", "N", this.runs, (run, x) =>
        run.barForces ? [lineOf("force", x, run.barForces.column(pick.index), 0)] : [],
      ),
    ];
  }

  private cable(pick: Pick, row: Row): PlotSpec[] {
    const { structure } = this.state.report;
    const names = structure!.nodes.names;
    const path = structure!.cables.paths[pick.index];
    const rest = structure!.cables.restLengths;
    const track = () => this.state.track;
    const ends = path.map((point) => cut(names[point] ?? "drum", 14));
    row("through", () => ends.slice(0, 8).join(" – ") + (path.length > 8 ? " – …" : ""));
    const now = (values: Run["tensions"], unit: string) => (values ? quantity(track().mix(values, pick.index), unit, 5) : "–");
    const specs: PlotSpec[] = [];
    const free = (run: Run, x: Float64Array) =>
      run.restLengths ? run.restLengths.column(pick.index) : new Float64Array(x.length).fill(rest[pick.index] ?? NaN);
    if (track().run.tensions) {
      row("tension", () => now(track().run.tensions, "N"));
      specs.push(timeSpec("Tension", "N", this.runs, (run, x) => (run.tensions ? [lineOf("tension", x, run.tensions.column(pick.index), 0)] : [])));
    }
    row("rest length", () => (track().run.restLengths ? now(track().run.restLengths, "m") : quantity(rest[pick.index] ?? NaN, "m", 5)));
    if (track().run.lengths) {
      row("length", () => now(track().run.lengths, "m"));
      row("strain", () => {
        const { run } = track();
        const from = run.restLengths ? track().mix(run.restLengths, pick.index) : rest[pick.index];
        return run.lengths ? `${number((100 * (track().mix(run.lengths, pick.index) - from)) / from)} %` : "–";
      });
      specs.push(
        timeSpec("Length", "m", this.runs, (run, x) =>
          run.lengths
            ? [lineOf("length", x, run.lengths.column(pick.index), 0), lineOf("rest length", x, free(run, x), 1)]
            : [],
        ),
      );
    }
    return specs;
  }

  private body(pick: Pick, row: Row): PlotSpec[] {
    const { state } = this;
    const structure = state.report.structure!;
    const { shape } = structure.bodies[pick.index];
    const poses = new Float64Array(7 * structure.bodies.length);
    const now = (k: number) => {
      state.track.bodies(poses);
      return poses[7 * pick.index + k];
    };
    ["x", "y", "z"].forEach((axis, k) => row(axis, () => quantity(now(k), "m", 5)));
    row("turned", () => quantity((360 / Math.PI) * Math.acos(Math.min(1, Math.abs(now(3)))), "°", 4));
    if (shape) row("shape", () => `${shape.kind}, ${shape.size.map((x) => number(x)).join(" × ")} m`);
    const drums = structure.pulleys.filter(({ body, second }) => body === pick.index || second?.body === pick.index);
    if (drums.length > 0) row("drum of", () => drums.map(({ name }) => cut(name, 20)).join(", "));
    return [
      timeSpec("Centre", "m", this.runs, (run, x) => {
        if (!run.bodies) return [];
        return ["x", "y", "z"].map((axis, k) => {
          const values = run.bodies!.column(7 * pick.index + k);
          if (run.origin) for (let r = 0; r < values.length; r++) values[r] += run.origin.get(r, k);
          return lineOf(axis, x, values, k);
        });
      }),
    ];
  }

  private joint(pick: Pick, row: Row): PlotSpec[] {
    const { solids, bodies } = this.state.report.structure!;
    const { name, kind } = solids[pick.index];
    row("kind", () => kind);
    const on = solids.filter((solid) => solid.name === name).map(({ body }) => (body < 0 ? "ground" : cut(bodies[body].name, 20)));
    row("drawn on", () => [...new Set(on)].join(", "));
    return [];
  }

  // A mode shape has no values of its own but the places of its nodes.
  private readonly runs = (): Run[] => {
    const runs = this.state.compared();
    return runs.length > 0 ? runs : [this.state.track.run];
  };
}

type Row = (label: string, text: () => string) => void;
