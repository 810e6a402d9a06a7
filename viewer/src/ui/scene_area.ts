// The part of the page with the scene in it; says so in words where the browser cannot draw it.
import type { Structure } from "../document";
import { el } from "../dom";
import { View3D } from "../scene/view";
import type { State } from "../state";
import { SceneKey } from "./legend";
import { Toolbar } from "./toolbar";

export class SceneArea {
  readonly element = el("section", { class: "scene", "aria-label": "Structure in 3-D" });
  readonly view: View3D | null = null;
  readonly toolbar: Toolbar | null = null;
  private width = 0;
  private height = 0;
  private played = false;
  private settled = false; // nothing moved for a moment
  careful = false; // the picture now shown is drawn with care
  private timer = 0;

  constructor(
    private readonly state: State,
    structure: Structure,
    private readonly request: () => void,
  ) {
    try {
      this.view = new View3D(structure, state.report.runs, state.track.run, request);
    } catch {
      this.element.classList.add("without");
      this.element.append(
        el(
          "p",
          { class: "no-webgl", role: "status" },
          "This browser cannot draw in 3-D (WebGL 2 is missing or switched off), so the structure is not shown. Plots, tables and values work all the same.",
        ),
      );
      return;
    }
    const { view } = this;
    view.following = view.extent.travel > 3 * view.extent.size;
    view.labels.names = state.report.kind === "model" && structure.nodes.names.length <= 120;
    this.toolbar = new Toolbar(state, view, request);
    this.element.append(view.canvas, view.labels.canvas, view.labels.axes, this.toolbar.element, new SceneKey(state, view).element);
    view.canvas.setAttribute("aria-label", "The structure. Drag to orbit, click to select.");
    view.canvas.setAttribute("role", "img");
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen(view);
    state.on("theme", () => view.setTheme(state.dark));
    state.on("motion", () => view.setRun(state.track.run, state.motion.kind === "run"));
    state.on("overlays", () => view.setOverlays(state.others()));
    state.on("selection", () => view.select(state.selection));
  }

  private listen(view: View3D): void {
    let x = 0;
    let y = 0;
    const { canvas } = view;
    canvas.addEventListener("pointerdown", (event) => ([x, y] = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      // A drag is no click.
      if (event.button !== 0 || Math.hypot(event.clientX - x, event.clientY - y) > 4) return;
      const box = canvas.getBoundingClientRect();
      this.state.select(view.pick(event.clientX - box.left, event.clientY - box.top, event.pointerType === "touch"));
    });
    canvas.addEventListener("keydown", (event) => {
      const turn = event.altKey ? { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] : null;
      if (turn) view.eye.orbit(0.12 * turn[0], 0.12 * turn[1], 1);
      else if (event.key === "+" || event.key === "=") view.eye.orbit(0, 0, 1.15);
      else if (event.key === "-") view.eye.orbit(0, 0, 1 / 1.15);
      else return;
      event.preventDefault();
      this.request();
    });
    canvas.addEventListener("webglcontextrestored", () => this.request());
  }

  private resize(): boolean {
    const { clientWidth, clientHeight } = this.element;
    if (!this.view || clientWidth === 0 || clientHeight === 0) return false;
    if (clientWidth === this.width && clientHeight === this.height) return true;
    const first = this.width === 0;
    [this.width, this.height] = [clientWidth, clientHeight];
    this.view.resize(clientWidth, clientHeight);
    if (first) this.view.firstLook();
    this.request();
    return true;
  }

  // While things move, pictures follow each other fast; when they stand for a moment, one more is drawn with care.
  draw(now: number, moved: boolean): void {
    const { view, state } = this;
    if (!view || !this.resize()) return;
    const { playing } = state.clock;
    if (playing && !this.played) view.quality.started();
    this.played = playing;
    if (moved) view.seek(state.clock.time);
    this.careful = !playing && this.settled;
    view.render(!this.careful);
    if (playing) view.quality.played(now);
    window.clearTimeout(this.timer);
    if (!playing && !this.settled) {
      this.timer = window.setTimeout(() => {
        this.settled = true;
        this.request();
      }, 150);
    }
    this.settled = false;
  }

  // In pixels of the page; null where the name is unknown or not in front of the eye.
  project(name: string): { x: number; y: number } | null {
    const place = this.view?.project(name) ?? null;
    if (!place || !this.view) return null;
    const box = this.view.canvas.getBoundingClientRect();
    return { x: place.x + box.left + window.scrollX, y: place.y + box.top + window.scrollY };
  }
}
