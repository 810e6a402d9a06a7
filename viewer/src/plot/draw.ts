// Paints a plot on a canvas: grid, axes, bands, lines, marks.
import type { Axis } from "./axes";
import { decimate, type Series } from "./series";

export interface Ink {
  text: string;
  muted: string;
  grid: string;
  line: (index: number) => string;
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number; // of the area inside the axes, in pixels from the left
  top: number;
  bottom: number;
}

const font = "11px system-ui, sans-serif";

// Room on the left for the widest tick.
export function layOut(pen: CanvasRenderingContext2D, width: number, height: number, y: Axis): Frame {
  pen.font = font;
  const bottom = height - 20;
  const wanted = Math.max(2, Math.floor((bottom - 8) / 34));
  const widest = Math.max(...y.ticks(wanted).map(({ text }) => pen.measureText(text).width), 12);
  return { width, height, left: Math.ceil(widest) + 10, right: width - 8, top: 8, bottom };
}

export function drawAxes(pen: CanvasRenderingContext2D, frame: Frame, x: Axis, y: Axis, xLabel: string, ink: Ink): void {
  pen.clearRect(0, 0, frame.width, frame.height);
  pen.font = font;
  pen.lineWidth = 1;
  pen.strokeStyle = ink.grid;
  pen.fillStyle = ink.muted;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.beginPath();
  for (const { value, text } of y.ticks(Math.max(2, Math.floor((frame.bottom - frame.top) / 34)))) {
    const at = Math.round(y.pixel(value)) + 0.5;
    if (at < frame.top - 1 || at > frame.bottom + 1) continue;
    pen.moveTo(frame.left, at);
    pen.lineTo(frame.right, at);
    pen.fillText(text, frame.left - 6, at);
  }
  // The name of the abscissa stands at its right end; ticks keep clear of it.
  pen.textAlign = "right";
  pen.textBaseline = "alphabetic";
  const labelWidth = pen.measureText(xLabel).width;
  pen.fillText(xLabel, frame.right, frame.height - 4);
  pen.textAlign = "center";
  let taken = -Infinity;
  for (const { value, text } of x.ticks(Math.max(2, Math.floor((frame.right - frame.left) / 64)))) {
    const at = Math.round(x.pixel(value)) + 0.5;
    if (at < frame.left - 1 || at > frame.right + 1) continue;
    pen.moveTo(at, frame.top);
    pen.lineTo(at, frame.bottom);
    const half = 0.5 * pen.measureText(text).width;
    if (at - half < taken + 6 || at + half > frame.right - labelWidth - 6) continue;
    pen.fillText(text, at, frame.height - 4);
    taken = at + half;
  }
  pen.stroke();
  // Zero, where it lies inside.
  const zero = Math.round(y.pixel(0)) + 0.5;
  if (!y.log && zero > frame.top && zero < frame.bottom) {
    pen.strokeStyle = ink.muted;
    pen.globalAlpha = 0.5;
    pen.beginPath();
    pen.moveTo(frame.left, zero);
    pen.lineTo(frame.right, zero);
    pen.stroke();
    pen.globalAlpha = 1;
  }
}

export function drawSeries(pen: CanvasRenderingContext2D, frame: Frame, x: Axis, y: Axis, series: Series, ink: Ink): void {
  pen.save();
  pen.beginPath();
  pen.rect(frame.left, frame.top - 2, frame.right - frame.left, frame.bottom - frame.top + 4);
  pen.clip();
  pen.strokeStyle = pen.fillStyle = series.color < 0 ? ink.muted : ink.line(series.color);
  if (series.upper) drawBand(pen, x, y, series, frame);
  else if (series.style === "points" || series.published) drawMarks(pen, x, y, series, frame);
  else drawLine(pen, x, y, series, frame);
  pen.restore();
}

// The points inside the frame, and one more on either side.
function inside(values: ArrayLike<number>, low: number, high: number): [number, number] {
  let from = 0;
  let to = values.length;
  while (from < to && values[from] < low) from++;
  while (to > from && values[to - 1] > high) to--;
  return [Math.max(0, from - 1), Math.min(values.length, to + 1)];
}

function drawLine(pen: CanvasRenderingContext2D, x: Axis, y: Axis, series: Series, frame: Frame): void {
  const [from, to] = inside(series.x, x.low, x.high);
  pen.lineWidth = series.width ?? 1.6;
  pen.lineJoin = "round";
  if (series.style === "dashed") pen.setLineDash([5, 4]);
  pen.beginPath();
  let down = false;
  const visit = (i: number) => {
    const px = x.pixel(series.x[i]);
    const py = Math.min(Math.max(y.pixel(series.y[i]), frame.top - 1e4), frame.bottom + 1e4);
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      down = false;
      return;
    }
    if (down) pen.lineTo(px, py);
    else pen.moveTo(px, py);
    down = true;
  };
  if (to - from > 3 * (frame.right - frame.left)) decimate(series.x, series.y, from, to, (v) => x.pixel(v), visit);
  else for (let i = from; i < to; i++) visit(i);
  pen.stroke();
}

function drawBand(pen: CanvasRenderingContext2D, x: Axis, y: Axis, series: Series, frame: Frame): void {
  const [from, to] = inside(series.x, x.low, x.high);
  const upper = series.upper ?? series.y;
  pen.globalAlpha = 0.16;
  pen.beginPath();
  const trace = (values: ArrayLike<number>, backwards: boolean) => {
    const points: number[] = [];
    const visit = (i: number) => points.push(i);
    if (to - from > 3 * (frame.right - frame.left)) decimate(series.x, values, from, to, (v) => x.pixel(v), visit);
    else for (let i = from; i < to; i++) visit(i);
    if (backwards) points.reverse();
    for (const i of points) if (Number.isFinite(values[i])) pen.lineTo(x.pixel(series.x[i]), y.pixel(values[i]));
  };
  trace(series.y, false);
  trace(upper, true);
  pen.fill();
}

// Published points are open, ours are filled.
function drawMarks(pen: CanvasRenderingContext2D, x: Axis, y: Axis, series: Series, frame: Frame): void {
  pen.lineWidth = 1.5;
  const most = 4 * (frame.right - frame.left);
  const step = Math.max(1, Math.floor(series.x.length / most));
  for (let i = 0; i < series.x.length; i += step) {
    const px = x.pixel(series.x[i]);
    const py = y.pixel(series.y[i]);
    if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
    pen.beginPath();
    pen.arc(px, py, series.published ? 3.6 : 2.4, 0, 2 * Math.PI);
    if (series.published) pen.stroke();
    else pen.fill();
  }
}
