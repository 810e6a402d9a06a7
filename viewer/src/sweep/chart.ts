// A plot of a sweep in its card: controls, canvas, a line of words for what the pointer or the keys are at.
import { choice, el } from "../dom";
import type { Ink } from "../plot/draw";
import { cut } from "../text";
import { plotInk } from "../theme";
import { runColumn, type Table } from "./table";

export interface Place {
  x: number;
  y: number;
}

export abstract class Chart {
  readonly element: HTMLElement;
  protected readonly area: HTMLElement;
  protected readonly controls = el("div", { class: "chart-controls" }); // which columns
  protected readonly scales = el("div", { class: "chart-scales" });
  protected width = 0;
  protected height = 0;
  private readonly canvas = el("canvas", { "aria-hidden": "true" });
  private readonly over = el("canvas", { "aria-hidden": "true" });
  private readonly words = el("p", { class: "chart-words", role: "status" });
  private readonly box = el("div", { class: "chosen", hidden: true });
  private rest = ""; // words while nothing is pointed at
  private visible = false;
  private stale = true;
  private overStale = true;
  private waiting = false;

  constructor(
    protected readonly table: Table,
    readonly key: string,
    private readonly title: string,
    hint: string,
  ) {
    const label = `${title}. ${hint}`;
    this.area = el("div", { class: "plot-area", tabindex: 0, role: "application", "aria-roledescription": "plot", "aria-label": label });
    this.area.append(this.canvas, this.over, this.box);
    const head = el("header", { class: "chart-head" }, el("h2", {}, title), this.scales);
    this.element = el("section", { class: `chart chart-${key}`, "data-plot": key }, head, this.controls, this.area, this.words);
    this.listen();
    new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      if (this.visible && this.stale) this.draw();
    }).observe(this.area);
    new ResizeObserver(() => this.refresh()).observe(this.area);
    table.on("filter", () => this.refresh());
    table.on("theme", () => this.refresh());
    table.on("selection", () => this.refreshOver());
  }

  // Drawn anew at the next picture, if it is in sight.
  refresh(): void {
    this.stale = true;
    this.request();
  }

  protected refreshOver(): void {
    this.overStale = true;
    this.request();
  }

  protected ink(): Ink {
    return plotInk(this.table);
  }

  protected abstract paint(pen: CanvasRenderingContext2D): void;
  protected paintOver(_pen: CanvasRenderingContext2D): void {}
  protected abstract point(at: Place | null): string; // the words for what lies there
  protected click(_at: Place): void {}
  protected keyed(_event: KeyboardEvent): boolean {
    return false;
  }
  // While something is dragged, and at the end of it; false: nothing is to be dragged there.
  protected abstract drag(from: Place, to: Place, done: boolean): boolean;
  protected reset(): void {}

  protected say(words: string): void {
    const text = words || this.rest;
    if (this.words.textContent !== text) this.words.textContent = text;
  }

  protected sayAtRest(words: string): void {
    this.rest = words;
    this.say("");
  }

  // The rectangle that is being dragged.
  protected showBox(box: { left: number; top: number; right: number; bottom: number } | null): void {
    this.box.hidden = box === null;
    if (!box) return;
    this.box.style.cssText = `left:${box.left}px;top:${box.top}px;width:${box.right - box.left}px;height:${box.bottom - box.top}px`;
  }

  // A choice among columns, with its word in front.
  protected columnChoice(word: string, options: number[], chosen: number, changed: (column: number) => void, none = ""): HTMLSelectElement {
    const list = none === "" ? options : [NaN, ...options];
    const text = (column: number) => {
      if (Number.isNaN(column)) return none;
      return column === runColumn ? "number of the run" : cut(this.table.name(column), 60);
    };
    const select = choice(`${this.title}: ${word}`, list.map(text), Math.max(0, list.indexOf(chosen)), (i) => changed(list[i]));
    this.controls.append(el("label", { class: "pick" }, el("span", {}, word), select));
    return select;
  }

  private request(): void {
    if (this.waiting || !this.visible) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.stale) this.draw();
      else if (this.overStale) this.drawOver();
    });
  }

  private prepare(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    const pen = canvas.getContext("2d");
    if (!pen || this.width < 60 || this.height < 60) return null;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    canvas.style.width = `${this.width}px`;
    canvas.width = Math.round(this.width * ratio);
    canvas.height = Math.round(this.height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    return pen;
  }

  // How wide the drawing is: as its area, or wider where that scrolls.
  protected breadth(): number {
    return this.area.clientWidth;
  }

  private draw(): void {
    this.width = this.breadth();
    this.height = this.area.clientHeight;
    const pen = this.prepare(this.canvas);
    if (!pen) return;
    this.stale = false;
    this.paint(pen);
    this.drawOver();
  }

  private drawOver(): void {
    const pen = this.prepare(this.over);
    if (!pen) return;
    this.overStale = false;
    this.paintOver(pen);
  }

  private listen(): void {
    const { area } = this;
    let from: Place | null = null;
    let moved = false;
    const place = (event: MouseEvent): Place => {
      const box = area.getBoundingClientRect();
      return { x: event.clientX - box.left + area.scrollLeft, y: event.clientY - box.top };
    };
    area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = place(event);
      moved = false;
      if (event.pointerType !== "touch") area.setPointerCapture(event.pointerId);
    });
    area.addEventListener("pointermove", (event) => {
      const at = place(event);
      if (from && event.pointerType !== "touch" && Math.hypot(at.x - from.x, at.y - from.y) > 4) moved = true;
      if (from && moved && this.drag(from, at, false)) return;
      this.say(this.point(at));
    });
    area.addEventListener("pointerup", (event) => {
      if (!from) return;
      const at = place(event);
      if (!moved || !this.drag(from, at, true)) this.click(at);
      this.showBox(null);
      from = null;
    });
    const stop = () => {
      from = null;
      this.showBox(null);
    };
    area.addEventListener("pointercancel", stop);
    area.addEventListener("pointerleave", () => {
      this.point(null);
      this.say("");
    });
    area.addEventListener("blur", () => this.say(""));
    area.addEventListener("dblclick", () => this.reset());
    area.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.keyed(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
}

// 1234567 as 1 234 567, with narrow spaces that no line breaks at.
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
