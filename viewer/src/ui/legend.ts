// The key to the scene: colour scale of the tensions, slack cables, arrows and how long they are.
import { css, darkPalette, forceColor, lightPalette, rgb } from "../colors";
import { el } from "../dom";
import type { View3D } from "../scene/view";
import type { State } from "../state";
import { cut, quantity, ticks, tickText } from "../text";

export class SceneKey {
  readonly element = el("div", { class: "key" });

  constructor(
    private readonly state: State,
    private readonly view: View3D,
  ) {
    for (const event of ["theme", "motion", "overlays", "display"] as const) state.on(event, () => this.draw());
    this.draw();
  }

  private draw(): void {
    const { dark } = this.state;
    const palette = dark ? darkPalette : lightPalette;
    this.element.replaceChildren();
    if (this.view.hasTensions) this.element.append(this.scale(dark));
    if (this.view.hasTensions && this.view.range[0] === 0) {
      this.element.append(this.entry("dashed", css(rgb(palette.slack)), "slack"));
    }
    const { largest, shown } = this.view.forces;
    const arrows = [
      ["load", "load", palette.load],
      ["support", "support", palette.reaction],
      ["contact", "contact", palette.contact],
    ] as const;
    for (const [kind, name, color] of arrows) {
      if (largest[kind] > 0 && shown[kind] && this.state.motion.kind === "run") {
        this.element.append(this.entry("arrow", css(rgb(color)), `${name}, longest ${quantity(largest[kind], "N", 3)}`));
      }
    }
    if (this.state.report.structure?.frames.length && this.view.frames.group.visible) {
      const axes = palette.axes.map((color) => css(rgb(color)));
      this.element.append(this.entry("arrow", axes, "x, y, z of a frame"));
    }
    if (this.state.overlaid.size > 0) {
      this.element.append(this.entry("block", css(rgb(palette.bar)), cut(this.state.track.run.label, 24)));
    }
    for (const { run, color } of this.state.others()) {
      this.element.append(this.entry("block", css(rgb(palette.runs[color % palette.runs.length])), cut(run.label, 24)));
    }
    this.element.hidden = this.element.childElementCount === 0;
  }

  private entry(kind: string, colors: string | string[], words: string): HTMLElement {
    const swatches = [colors].flat().map((color) => {
      const swatch = el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
      swatch.style.color = color;
      return swatch;
    });
    return el("div", { class: "key-entry" }, ...swatches, el("span", {}, words));
  }

  private scale(dark: boolean): HTMLElement {
    const [low, high] = this.view.range;
    const stops = Array.from({ length: 17 }, (_, i) => css(forceColor(i / 16, dark)));
    const bar = el("div", { class: "ramp" });
    bar.style.background = `linear-gradient(to right, ${stops.join(",")})`;
    const spacing = (values: number[]) => (values.length > 1 ? values[1] - values[0] : 1);
    let values = ticks(low, high, 3);
    // Long numbers would run into each other.
    if (values.map((value) => tickText(value, spacing(values))).join("").length > 20) values = ticks(low, high, 1);
    const step = spacing(values);
    const marks = el("div", { class: "ramp-ticks" });
    for (const value of values) {
      const mark = el("span", {}, tickText(value, step));
      const part = (value - low) / (high - low);
      mark.style.left = `${100 * part}%`;
      // Numbers at the ends stay over the bar.
      mark.style.transform = `translateX(${part < 0.04 ? 0 : part > 0.94 ? -100 : -50}%)`;
      marks.append(mark);
    }
    return el("div", { class: "scale" }, el("div", { class: "key-title" }, "Cable tension, N"), bar, marks);
  }
}
