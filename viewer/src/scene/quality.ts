// How sharp the picture is: smooth-edged while it stands, and while it moves as sharp as the machine can draw fast
// enough.

export class Quality {
  private ratio: number; // of what is drawn to pixels of the page, while it moves
  private readonly still: number;
  private readonly stamps: number[] = []; // of the last pictures while playing, ms
  private sinceChange = 0;

  // `full`: pixels of the screen to one of the page. `software`: drawn by the processor. `heavy`: many members, whose
  // edges the browser does not smooth.
  constructor(
    private readonly full: number,
    private readonly software: boolean,
    heavy: boolean,
  ) {
    this.ratio = software && heavy ? Math.min(full, 0.6) : full;
    this.still = software || heavy ? Math.max(2, full) : full;
  }

  scale(moving: boolean): number {
    return moving ? this.ratio : this.still;
  }

  // Called at every picture while playing: less sharp below 37 pictures a second, sharper again near 60.
  played(now: number): void {
    this.stamps.push(now);
    if (this.stamps.length > 61) this.stamps.shift();
    if (++this.sinceChange < 10) return;
    const last = this.stamps.length - 1;
    const interval = (this.stamps[last] - this.stamps[last - 8]) / 8;
    const before = this.ratio;
    // The further off, the larger the step.
    const factor = Math.min(0.85, Math.max(0.6, Math.sqrt(25 / interval)));
    if (interval > 27) this.ratio = Math.max(this.software ? 0.4 : 0.6, factor * this.ratio);
    else if (interval < 18 && this.sinceChange > 240) this.ratio = Math.min(this.full, 1.15 * this.ratio);
    if (this.ratio !== before) this.sinceChange = 0;
  }

  // The machine cannot draw as sharply as the screen is.
  get strained(): boolean {
    return this.ratio < this.full;
  }

  // The next pictures are counted anew.
  started(): void {
    this.stamps.length = 0;
    this.sinceChange = 0;
  }

  // Pictures a second over the last ones played; 0 before there are two.
  fps(): number {
    const last = this.stamps.length - 1;
    if (last < 1) return 0;
    return (1000 * last) / Math.max(1e-3, this.stamps[last] - this.stamps[0]);
  }
}

// Whether the browser draws with the processor alone.
export function isSoftware(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
