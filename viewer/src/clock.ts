// What plays: a time between start and end, a speed, and those who want to know when it changes.

export class Clock {
  time = 0;
  start = 0;
  end = 0;
  playing = false;
  speed = 1;
  loop = true;
  private listeners: (() => void)[] = [];

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  // A new span; opens paused at its start.
  setSpan(start: number, end: number, keepPlaying = false): void {
    this.start = start;
    this.end = end;
    this.time = Math.min(Math.max(keepPlaying ? this.time : start, start), end);
    if (!keepPlaying) this.playing = false;
    this.changed();
  }

  get still(): boolean {
    return !(this.end > this.start);
  }

  toggle(): void {
    if (this.still) return;
    // From the end, playing starts over.
    if (!this.playing && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing;
    this.changed();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.changed();
  }

  // Moves on by `seconds` of real time.
  advance(seconds: number): void {
    if (!this.playing) return;
    let time = this.time + seconds * this.speed;
    if (time >= this.end) {
      if (this.loop) {
        time = this.start + ((time - this.start) % (this.end - this.start));
      } else {
        time = this.end;
        this.playing = false;
      }
    }
    this.time = time;
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
