// A plot: canvas, time cursor, legend that hides and shows lines, zoom by dragging, wheel or keys. Ours and not uPlot's:
// curves may run back along x (paths, phase plots), log axes, bins of long runs and the cursor shared with the scene take
// as much code around uPlot as they take here.
import { el } from "../dom";
import { cut, number } from "../text";
import { Axis, spanOf } from "./axes";
import { drawAxes, drawSeries, layOut, type Frame, type Ink } from "./draw";
import { ascends, valueAt, type Series } from "./series";

export interface PlotSpec {
  title: string;
  xLabel: string;
  unit: string; // of y; or its name, for plots that the report brings along
  xLog: boolean;
  yLog: boolean;
  time: boolean; // x is the time of the report
  series: () => Series[];
}

export interface PlotHost {
  ink: () => Ink;
  seek: (time: number) => void;
}

export class Plot {
  readonly element = el("div", { class: "plot" });
  private readonly area: HTMLElement;
  private readonly canvas = el("canvas", { "aria-hidden": "true" });
  private readonly cursor = el("div", { class: "cursor", hidden: true });
  private readonly chosen = el("div", { class: "chosen", hidden: true });
  private readonly legend = el("div", { class: "legend" });
  private readonly values: HTMLElement[] = [];
  private series: Series[] = [];
  private searchable: boolean[] = [];
  private readonly hidden = new Set<string>();
  private readonly x: Axis;
  private readonly y: Axis;
  private frame: Frame = { width: 0, height: 0, left: 0, right: 1, top: 0, bottom: 1 };
  private zoom: [number, number] | null = null;
  private time = NaN;
  private pointed: number | null = null;
  private visible = false;
  private stale = true;

  constructor(
    private readonly spec: PlotSpec,
    private readonly host: PlotHost,
  ) {
    this.x = new Axis(spec.xLog);
    this.y = new Axis(spec.yLog);
    this.area = el("div", {
      class: "plot-area",
      tabindex: 0,
      role: "img",
      "aria-label": `Plot: ${cut(spec.title, 80)}. Plus and minus zoom, Escape shows all.`,
    });
    this.area.append(this.canvas, this.cursor, this.chosen);
    this.element.append(this.area, this.legend);
    this.listen();
    const seen = new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      if (this.visible && this.stale) this.draw();
    });
    seen.observe(this.area);
    new ResizeObserver(() => this.refresh()).observe(this.area);
    // What is not in sight is drawn when there is nothing else to do.
    const idle = window.requestIdleCallback ?? ((later: () => void) => window.setTimeout(later, 1500));
    idle(() => {
      if (this.stale && this.area.isConnected) this.draw();
    });
  }

  // Lines are made anew, for another run or another choice.
  rebuild(): void {
    this.series = [];
    this.refresh();
  }

  refresh(): void {
    this.stale = true;
    if (this.visible) this.draw();
  }

  // Moves the cursor; the numbers in the legend only when asked, since text is dear.
  setTime(time: number, withNumbers: boolean): void {
    this.time = time;
    if (!this.visible || !this.spec.time) return;
    this.placeCursor();
    if (withNumbers) this.writeValues();
  }

  private draw(): void {
    const width = this.area.clientWidth;
    const height = this.area.clientHeight;
    const pen = this.canvas.getContext("2d");
    if (!pen || width < 40 || height < 40) return;
    this.stale = false;
    if (this.series.length === 0) this.load();
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);

    const shown = this.series.filter((series) => !this.hidden.has(series.name));
    const all = spanX(shown.length > 0 ? shown : this.series, this.spec.xLog);
    if (this.zoom) [this.x.low, this.x.high] = this.zoom;
    else this.x.setSpan(all[0], all[1], this.spec.time ? 0 : 0.03);
    const span = spanOf(shown, this.x.low, this.x.high, this.spec.yLog);
    this.y.setSpan(span[0], span[1], 0.06);
    this.y.from = height - 20;
    this.y.to = 8;
    this.frame = layOut(pen, width, height, this.y);
    this.x.from = this.frame.left;
    this.x.to = this.frame.right;
    const ink = this.host.ink();
    drawAxes(pen, this.frame, this.x, this.y, this.spec.xLabel, ink);
    for (const series of shown) drawSeries(pen, this.frame, this.x, this.y, series, ink);
    this.colorLegend(ink);
    this.placeCursor();
    this.writeValues();
  }

  private load(): void {
    this.series = this.spec.series();
    this.searchable = this.series.map((series) => ascends(series.x));
    this.legend.replaceChildren();
    this.values.length = 0;
    for (const series of this.series) {
      const value = el("span", { class: "value" });
      const kind = series.published ? "open" : series.style === "points" ? "filled" : series.upper ? "band" : series.style;
      const entry = el(
        "button",
        { type: "button", "aria-pressed": String(!this.hidden.has(series.name)), title: series.name.slice(0, 400) },
        el("span", { class: `swatch ${kind}`, "aria-hidden": "true" }),
        el("span", { class: "name" }, cut(series.name, 40)),
        value,
      );
      entry.addEventListener("click", () => {
        if (!this.hidden.delete(series.name)) this.hidden.add(series.name);
        entry.setAttribute("aria-pressed", String(!this.hidden.has(series.name)));
        this.refresh();
      });
      this.legend.append(entry);
      this.values.push(value);
    }
  }

  private colorLegend(ink: Ink): void {
    this.series.forEach((series, i) => {
      const swatch = this.legend.children[i].firstElementChild as HTMLElement;
      swatch.style.color = series.color < 0 ? ink.muted : ink.line(series.color);
    });
  }

  private placeCursor(): void {
    const at = this.x.pixel(this.time);
    const out = !this.spec.time || !(at >= this.frame.left - 0.5 && at <= this.frame.right + 0.5);
    this.cursor.hidden = out;
    if (!out) this.cursor.style.transform = `translateX(${at.toFixed(1)}px)`;
  }

  // At the pointer where it is over the plot, else at the time cursor.
  private writeValues(): void {
    const at = this.pointed ?? (this.spec.time ? this.time : NaN);
    this.series.forEach((series, i) => {
      let words = "";
      if (this.searchable[i] && !Number.isNaN(at) && series.style !== "points" && !series.published) {
        const low = valueAt(series.x, series.y, at);
        words = Number.isNaN(low) ? "" : number(low);
        if (words && series.upper) words += ` … ${number(valueAt(series.x, series.upper, at))}`;
      }
      if (this.values[i].textContent !== words) this.values[i].textContent = words;
    });
  }

  private listen(): void {
    let from: number | null = null;
    let moved = false;
    const place = (event: MouseEvent) => event.clientX - this.area.getBoundingClientRect().left;
    const clip = (at: number) => Math.min(Math.max(at, this.frame.left), this.frame.right);
    this.area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      from = clip(place(event));
      moved = false;
      this.area.setPointerCapture(event.pointerId);
    });
    this.area.addEventListener("pointermove", (event) => {
      const at = clip(place(event));
      this.pointed = this.x.value(at);
      if (from !== null && Math.abs(at - from) > 4) moved = true;
      this.chosen.hidden = from === null || !moved;
      if (from !== null && moved) {
        this.chosen.style.left = `${Math.min(from, at)}px`;
        this.chosen.style.width = `${Math.abs(at - from)}px`;
      }
      this.writeValues();
    });
    this.area.addEventListener("pointerup", (event) => {
      const at = clip(place(event));
      this.chosen.hidden = true;
      if (from !== null && moved) this.zoomTo(this.x.value(Math.min(from, at)), this.x.value(Math.max(from, at)));
      else if (this.spec.time && (from !== null || event.pointerType === "touch")) this.host.seek(this.x.value(at));
      from = null;
    });
    this.area.addEventListener("pointercancel", () => {
      from = null;
      this.chosen.hidden = true;
    });
    this.area.addEventListener("pointerleave", () => {
      this.pointed = null;
      this.writeValues();
    });
    this.area.addEventListener("dblclick", () => this.zoomTo(NaN, NaN));
    this.area.addEventListener(
      "wheel",
      (event) => {
        // Rolling over a plot that is not in use rolls the page.
        if (document.activeElement !== this.area && !event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoomBy(Math.exp(event.deltaY * 0.0022), clip(place(event)));
      },
      { passive: false },
    );
    this.area.addEventListener("keydown", (event) => {
      const middle = 0.5 * (this.frame.left + this.frame.right);
      const cursor = this.x.pixel(this.time);
      const about = this.spec.time && cursor >= this.frame.left && cursor <= this.frame.right ? cursor : middle;
      if (event.key === "+" || event.key === "=") this.zoomBy(0.7, about);
      else if (event.key === "-") this.zoomBy(1 / 0.7, about);
      else if (event.key === "Escape") this.zoomTo(NaN, NaN);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // The value under the pixel stays where it is.
  private zoomBy(factor: number, pixel: number): void {
    const side = (edge: number) => this.x.value(pixel + factor * (edge - pixel));
    this.zoomTo(side(this.frame.left), side(this.frame.right));
  }

  // Not a number, or more than there is: everything.
  private zoomTo(low: number, high: number): void {
    const [least, most] = spanX(this.series, this.spec.xLog);
    const from = Math.max(low, least);
    const to = Math.min(high, most);
    const whole = !(from < to) || (from <= least && to >= most);
    if (!whole && to - from < 1e-9 * (most - least)) return;
    this.zoom = whole ? null : [from, to];
    this.element.classList.toggle("zoomed", !whole);
    this.refresh();
  }
}

function spanX(list: readonly Series[], positive: boolean): [number, number] {
  return spanOf(list.map(({ x }) => ({ x, y: x })), -Infinity, Infinity, positive);
}
