// Plots of a sweep over two axes: choice of logarithms, zoom by dragging a box, marks of runs that were lost.
import { check } from "../dom";
import { Axis } from "../plot/axes";
import { drawAxes, layOut, type Frame, type Ink } from "../plot/draw";
import { forceColor, css } from "../colors";
import { cut, number } from "../text";
import { Chart, type Place } from "./chart";
import type { Bins } from "./data";

export type Span = [number, number];

export abstract class XYChart extends Chart {
  protected x = new Axis(false);
  protected y = new Axis(false);
  protected frame: Frame = { width: 0, height: 0, left: 0, right: 1, top: 0, bottom: 1 };
  private zoom: { x: Span; y: Span } | null = null;
  private readonly logBoxes: Partial<Record<"x" | "y", HTMLInputElement>> = {};
  protected readonly log = { x: false, y: false };

  protected logChoice(axis: "x" | "y"): void {
    const label = check(`log ${axis}`, false, (on) => {
      this.log[axis] = on;
      this.unzoom();
    });
    this.logBoxes[axis] = label.querySelector("input")!;
    this.scales.append(label);
  }

  // Another column on an axis: logarithmic where it spans decades.
  protected setColumn(axis: "x" | "y", column: number): void {
    const possible = this.table.range(column)[0] > 0;
    this.log[axis] = possible && this.table.isLog(column);
    const box = this.logBoxes[axis];
    if (box) {
      box.checked = this.log[axis];
      box.disabled = !possible;
    }
    this.unzoom();
  }

  protected unzoom(): void {
    this.zoom = null;
    this.refresh();
  }

  protected override reset(): void {
    this.unzoom();
  }

  // Axes over the given spans, or over what is zoomed into; room on the right for a scale, at the bottom for marks.
  protected layAxes(pen: CanvasRenderingContext2D, x: Span, y: Span, margin: { x: number; top: number; bottom: number }, room: number, strip: boolean): Ink {
    this.x = new Axis(this.log.x && x[0] > 0);
    this.y = new Axis(this.log.y && y[0] > 0);
    this.x.setSpan(x[0], x[1], margin.x);
    this.y.setSpan(y[0], y[1], 0);
    const [low, high] = [this.y.low, this.y.high];
    const stretch = (part: number) => (this.y.log ? low * (high / low) ** part : low + part * (high - low));
    [this.y.low, this.y.high] = [stretch(-margin.bottom), stretch(1 + margin.top)];
    if (this.zoom) {
      [this.x.low, this.x.high] = this.zoom.x;
      [this.y.low, this.y.high] = this.zoom.y;
    }
    this.y.from = this.height - 20 - (strip ? 12 : 0);
    this.y.to = 22;
    this.frame = { ...layOut(pen, this.width - room, this.height, this.y), top: 22 };
    this.x.from = this.frame.left;
    this.x.to = this.frame.right;
    return this.ink();
  }

  // The name of the ordinate stands above it.
  protected drawAxes(pen: CanvasRenderingContext2D, xLabel: string, yLabel: string, ink: Ink): void {
    drawAxes(pen, this.frame, this.x, this.y, cut(xLabel, 40), ink);
    pen.fillStyle = ink.muted;
    pen.textAlign = "left";
    pen.textBaseline = "alphabetic";
    pen.fillText(cut(yLabel, 40), 2, 11);
  }

  protected clip(pen: CanvasRenderingContext2D, paint: () => void): void {
    const { left, right, top, bottom } = this.frame;
    pen.save();
    pen.beginPath();
    pen.rect(left - 3, top - 3, right - left + 6, bottom - top + 6);
    pen.clip();
    paint();
    pen.restore();
  }

  // Where the marks of lost runs stand.
  protected stripAt(): number {
    return this.frame.bottom - 6;
  }

  // A small cross: a run that failed or was refused.
  protected cross(pen: CanvasRenderingContext2D, x: number, y: number, size: number): void {
    pen.beginPath();
    pen.moveTo(x - size, y - size);
    pen.lineTo(x + size, y + size);
    pen.moveTo(x - size, y + size);
    pen.lineTo(x + size, y - size);
    pen.stroke();
  }

  // The pixels of a bin along an axis, whole so that no seams show; null where nothing of it is in sight.
  protected extent(axis: Axis, bins: Bins, index: number): Span | null {
    const low = Math.max(bins.edges[index], axis.low);
    const high = Math.min(bins.edges[index + 1], axis.high);
    if (!(low <= high)) return null;
    const [a, b] = [Math.round(axis.pixel(low)), Math.round(axis.pixel(high))];
    return a < b ? [a, b] : [b, a];
  }

  // A vertical scale of colours at the right edge, named above.
  protected ramp(pen: CanvasRenderingContext2D, scale: Axis, title: string, ink: Ink): void {
    const left = this.frame.right + 14;
    const { top: from, bottom } = this.frame;
    for (let y = from; y < bottom; y++) {
      pen.fillStyle = css(forceColor(1 - (y - from) / (bottom - from), this.table.dark));
      pen.fillRect(left, y, 10, 1.5);
    }
    pen.fillStyle = ink.muted;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    scale.from = bottom;
    scale.to = from;
    for (const { value, text } of scale.ticks(Math.max(2, Math.floor((bottom - from) / 44)))) {
      const at = scale.pixel(value);
      if (at < from - 1 || at > bottom + 1) continue;
      pen.fillRect(left + 10, Math.round(at), 3, 1);
      pen.fillText(text, left + 16, at);
    }
    pen.textAlign = "right";
    pen.textBaseline = "alphabetic";
    pen.fillText(cut(title, 24), this.width - 2, 11);
  }

  protected override drag(from: Place, to: Place, done: boolean): boolean {
    const { frame } = this;
    const clip = (at: Place): Place => ({
      x: Math.min(Math.max(at.x, frame.left), frame.right),
      y: Math.min(Math.max(at.y, frame.top), frame.bottom),
    });
    const [a, b] = [clip(from), clip(to)];
    const box = { left: Math.min(a.x, b.x), right: Math.max(a.x, b.x), top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y) };
    // Nearly level or upright: the whole of the other axis.
    if (box.bottom - box.top < 12) [box.top, box.bottom] = [frame.top, frame.bottom];
    else if (box.right - box.left < 12) [box.left, box.right] = [frame.left, frame.right];
    this.showBox(done ? null : box);
    if (done) this.zoomTo([this.x.value(box.left), this.x.value(box.right)], [this.y.value(box.bottom), this.y.value(box.top)]);
    return true;
  }

  private zoomTo(x: Span, y: Span): void {
    const fits = ([low, high]: Span) => Number.isFinite(low) && high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high));
    if (!fits(x) || !fits(y)) return;
    this.zoom = { x, y };
    this.refresh();
  }

  // Plus, minus and Escape.
  protected zoomKey(key: string): boolean {
    if (key === "Escape") this.unzoom();
    else if (key === "+" || key === "=" || key === "-") {
      const part = key === "-" ? -0.21 : 0.15;
      const { left, right, top, bottom } = this.frame;
      const [across, up] = [part * (right - left), part * (bottom - top)];
      this.zoomTo([this.x.value(left + across), this.x.value(right - across)], [this.y.value(bottom - up), this.y.value(top + up)]);
    } else return false;
    return true;
  }

  // Words for a bin: its value, or from where to where.
  protected binWords(bins: Bins, index: number, column: number): string {
    const name = cut(this.table.name(column), 40);
    if (bins.exact) return `${name} ${number(bins.centers[index])}`;
    return `${name} ${number(bins.edges[index], 3)} … ${number(bins.edges[index + 1], 3)}`;
  }
}

// A span that holds what is finite in a list, and positive where that is asked for.
export function spanOfValues(list: readonly ArrayLike<number>[], positive: boolean): Span {
  let low = Infinity;
  let high = -Infinity;
  for (const values of list) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!Number.isFinite(value) || (positive && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [NaN, NaN];
}
