// From values to pixels, linear or logarithmic, and the ticks in between.
import { number, raised, ticks, tickText } from "../text";

export class Axis {
  low = 0;
  high = 1;
  from = 0; // pixel of low
  to = 1; // pixel of high

  constructor(readonly log: boolean) {}

  // Values on a logarithmic axis that are not positive lie outside.
  pixel(value: number): number {
    return this.from + (this.to - this.from) * this.part(value);
  }

  part(value: number): number {
    if (!this.log) return (value - this.low) / (this.high - this.low);
    return value > 0 ? Math.log(value / this.low) / Math.log(this.high / this.low) : NaN;
  }

  value(pixel: number): number {
    const part = (pixel - this.from) / (this.to - this.from);
    return this.log ? this.low * (this.high / this.low) ** part : this.low + part * (this.high - this.low);
  }

  // The span [low, high], widened where it is empty, and by `margin` on either side.
  setSpan(low: number, high: number, margin: number): void {
    if (!(low <= high) || !Number.isFinite(low) || !Number.isFinite(high)) [low, high] = this.log ? [0.1, 1] : [0, 1];
    if (this.log) {
      if (low === high) [low, high] = [low / 2, high * 2];
      const stretch = (high / low) ** margin;
      [this.low, this.high] = [low / stretch, high * stretch];
      return;
    }
    // Rounding noise about a constant is shown as a constant.
    const least = Math.max(1e-12, 1e-5 * Math.max(Math.abs(low), Math.abs(high)));
    const tiny = Math.max(Math.abs(low), Math.abs(high)) < 1e-9;
    if (high - low < least && !tiny) [low, high] = [low - 0.5 * least - 0.05 * Math.abs(low), high + 0.5 * least + 0.05 * Math.abs(high)];
    if (high === low) [low, high] = [low - 1, high + 1];
    const extra = margin * (high - low);
    [this.low, this.high] = [low - extra, high + extra];
  }

  ticks(wanted: number): { value: number; text: string }[] {
    if (!this.log) {
      const values = ticks(this.low, this.high, wanted);
      const step = values.length > 1 ? values[1] - values[0] : this.high - this.low;
      return values.map((value) => ({ value, text: tickText(value, step) }));
    }
    const first = Math.ceil(Math.log10(this.low) - 1e-9);
    const last = Math.floor(Math.log10(this.high) + 1e-9);
    if (last - first < 2) return this.fewDecades(wanted);
    const step = Math.max(1, Math.ceil((last - first) / wanted));
    const out: { value: number; text: string }[] = [];
    for (let power = first; power <= last; power += step) {
      out.push({ value: 10 ** power, text: power >= -2 && power <= 4 ? number(10 ** power) : `10${raised(power)}` });
    }
    return out;
  }

  // Within less than three powers of ten: 1, 2 and 5 times those; within less than one of them, even steps.
  private fewDecades(wanted: number): { value: number; text: string }[] {
    const values: number[] = [];
    for (let power = Math.floor(Math.log10(this.low)); power <= Math.log10(this.high); power++) {
      for (const factor of [1, 2, 5]) values.push(factor * 10 ** power);
    }
    const inside = values.filter((value) => value >= this.low * (1 - 1e-9) && value <= this.high * (1 + 1e-9));
    const out = inside.length > 2 ? inside : ticks(this.low, this.high, wanted);
    return out.map((value) => ({ value, text: number(value, 3) }));
  }
}

// The span of y values (of bands too) whose x lies in [low, high].
export function spanOf(
  list: readonly { x: ArrayLike<number>; y: ArrayLike<number>; upper?: ArrayLike<number> }[],
  low: number,
  high: number,
  positive: boolean,
): [number, number] {
  let least = Infinity;
  let most = -Infinity;
  const take = (value: number) => {
    if (!Number.isFinite(value) || (positive && value <= 0)) return;
    if (value < least) least = value;
    if (value > most) most = value;
  };
  for (const { x, y, upper } of list) {
    for (let i = 0; i < x.length; i++) {
      if (x[i] < low || x[i] > high) continue;
      take(y[i]);
      if (upper) take(upper[i]);
    }
  }
  return [least, most];
}
