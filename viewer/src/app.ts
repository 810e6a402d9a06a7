// Builds the page from a report and keeps its parts in step.
import type { Report } from "./document";
import { cut } from "./text";
import { el, iconButton } from "./dom";
import { listenForKeys } from "./keys";
import type { PlotHost } from "./plot/plot";
import { measure } from "./scene/extent";
import { State } from "./state";
import { SceneArea } from "./ui/scene_area";
import { followTheme, plotInk, toggleTheme } from "./theme";
import { helpDialog } from "./ui/help";
import { modesPanel, runsPanel } from "./ui/modes";
import { Panel, type Tab } from "./ui/panel";
import { PlotList } from "./ui/plots";
import { SelectionPanel } from "./ui/selection";
import { summaryPanel } from "./ui/summary";
import { Transport } from "./ui/transport";
import { warningStrip } from "./ui/warnings";

export class App {
  readonly state: State;
  readonly scene: SceneArea | null = null;
  private readonly transport: Transport;
  private readonly plots: PlotList;
  private readonly selection: SelectionPanel;
  private waiting = false;
  private lastFrame = 0;
  private lastWords = 0;
  private lastCursors = 0;
  private moved = true;

  constructor(
    readonly report: Report,
    root: HTMLElement,
  ) {
    this.state = new State(report);
    const { state } = this;
    if (report.structure) {
      state.size = measure(report.structure, [state.track]).size;
      if (state.motion.kind === "mode") state.show("mode", state.motion.index);
    }
    const host: PlotHost = {
      ink: () => plotInk(state),
      seek: (time) => {
        state.clock.pause();
        state.clock.seek(time);
      },
    };
    this.transport = new Transport(state);
    this.plots = new PlotList(state, host);
    this.selection = new SelectionPanel(state, host);
    const panel = new Panel(this.tabs());
    const help = helpDialog();
    const stage = el("div", { class: "stage" });
    if (report.structure) {
      this.scene = new SceneArea(state, report.structure, () => this.request());
      stage.append(this.scene.element, this.transport.element);
    } else if (!state.clock.still) {
      stage.append(this.transport.element);
    }
    const main = el("main", { class: report.structure ? "layout" : "layout no-scene" }, stage, panel.element);
    const hide = () => {
      main.classList.toggle("panel-hidden");
      this.request();
    };
    root.replaceChildren(this.header(help, report.structure ? hide : null), ...warningStrip(report.warnings), main, help);
    followTheme(state);
    this.keys(help, hide);

    state.clock.onChange(() => {
      this.moved = true;
      this.request();
    });
    state.on("selection", () => {
      if (state.selection) panel.open("selection");
      this.request();
    });
    for (const event of ["motion", "overlays", "theme"] as const) {
      state.on(event, () => {
        this.moved = true;
        this.request();
      });
    }
    this.frame(performance.now());
  }

  private tabs(): Tab[] {
    const { report, state } = this;
    const tabs: Tab[] = [];
    const plots = el("div", {});
    if (report.runs.length > 1) plots.append(runsPanel(state));
    plots.append(this.plots.element);
    if (report.modes.length > 0) tabs.push({ key: "modes", title: "Modes", content: modesPanel(state) });
    if (!this.plots.empty || report.runs.length > 1) tabs.push({ key: "plots", title: "Plots", content: plots });
    if (report.structure) tabs.push({ key: "selection", title: "Selection", content: this.selection.element });
    tabs.push({ key: "summary", title: "Summary", content: summaryPanel(state) });
    // A still model opens with its table.
    if (report.kind === "model") tabs.unshift(tabs.pop()!);
    return tabs;
  }

  private header(help: HTMLDialogElement, hide: (() => void) | null): HTMLElement {
    const { report, state } = this;
    document.title = cut(report.title, 120);
    const words = el(
      "div",
      { class: "titles" },
      el("h1", { title: report.title.slice(0, 10000) }, cut(report.title, 120)),
      el("p", { title: report.subtitle.slice(0, 10000) }, cut(report.subtitle, 200)),
    );
    const theme = iconButton("moon", "Light or dark theme", () => toggleTheme(state));
    const tools = el("div", { class: "tools" }, iconButton("keys", "Keys and help", () => help.showModal()), theme);
    if (hide) tools.append(iconButton("panel", "Hide or show the panel", hide));
    return el("header", { class: "head" }, words, tools);
  }

  private keys(help: HTMLDialogElement, hide: () => void): void {
    const { state, scene, transport } = this;
    const { clock } = state;
    const look = (name: "iso" | "front" | "side" | "top" | "fit") => () => scene?.toolbar?.look(name);
    const mode = (by: number) => () => {
      const count = this.report.modes.length;
      if (count > 0) state.show("mode", state.motion.kind === "mode" ? (state.motion.index + by + count) % count : 0);
    };
    listenForKeys({
      " ": () => clock.toggle(),
      ArrowLeft: (event) => transport.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => transport.step(event.shiftKey ? 10 : 1),
      Home: () => clock.seek(clock.start),
      End: () => clock.seek(clock.end),
      "1": look("iso"),
      "2": look("front"),
      "3": look("side"),
      "4": look("top"),
      "0": look("fit"),
      f: () => scene?.toolbar?.toggleFollow(),
      n: () => scene?.toolbar?.toggleNames(),
      t: () => toggleTheme(state),
      p: hide,
      "[": mode(-1),
      "]": mode(1),
      Escape: () => state.select(null),
      "?": () => help.showModal(),
    });
  }

  // Nothing is left to draw.
  settled(): boolean {
    return !this.waiting && (!this.scene?.view || this.scene.careful);
  }

  // Draws at the next occasion; while playing, at every one.
  private request(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.waiting = false;
    const { clock } = this.state;
    if (clock.playing) {
      // After a pause of the page itself, such as another tab in front, time does not jump.
      const elapsed = Math.min(0.25, Math.max(0, (now - this.lastFrame) / 1000));
      if (this.lastFrame > 0) clock.advance(elapsed);
      this.lastFrame = now;
      this.request();
    } else {
      this.lastFrame = 0;
    }
    this.scene?.draw(now, this.moved);
    if (!this.moved) return;
    this.moved = false;
    const words = !clock.playing || now - this.lastWords > 120;
    if (words) this.lastWords = now;
    // Cursors that move make the browser put the whole page together again: less often where that is dear.
    const strained = clock.playing && this.scene?.view?.quality.strained;
    if (strained && !words && now - this.lastCursors < 60) return;
    this.lastCursors = now;
    this.transport.update(words);
    this.plots.setTime(clock.time, words);
    this.selection.setTime(clock.time, words);
  }
}
