// Plots over the bins of one axis: one bin has the focus, of the pointer or of the arrow keys.
import type { Bins } from "./data";
import { XYChart } from "./xy";

export abstract class BinnedChart extends XYChart {
  protected bins: Bins | null = null;
  protected focus = -1;

  // What is said of a bin.
  protected abstract binText(bins: Bins, bin: number): string;

  // Moves the focus; -1: nowhere.
  protected go(bin: number): string {
    if (bin !== this.focus) {
      this.focus = bin;
      this.refreshOver();
    }
    return bin < 0 || !this.bins ? "" : this.binText(this.bins, bin);
  }

  protected override keyed(event: KeyboardEvent): boolean {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined || !this.bins) return this.zoomKey(event.key);
    const count = this.bins.centers.length;
    this.say(this.go(this.focus < 0 ? (by > 0 ? 0 : count - 1) : (this.focus + by + count) % count));
    return true;
  }
}
