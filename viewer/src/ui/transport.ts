// Play, pause, step, scrub, speed, loop.
import { choice, el, icon, iconButton } from "../dom";
import type { State } from "../state";

const speeds = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Transport {
  readonly element = el("div", { class: "transport", role: "group", "aria-label": "Playback" });
  private readonly play = iconButton("play", "Play", () => this.state.clock.toggle());
  private readonly slider = el("input", { type: "range", min: 0, step: "any", "aria-label": "Time", class: "scrub" });
  private readonly ticks = el("div", { class: "ticks", "aria-hidden": "true" });
  private readonly now = el("span");
  private readonly whole = el("span", { class: "whole" });
  private readonly readout = el("div", { class: "readout" }, this.now, this.whole, " s");
  private digits = 2; // after the point, enough to tell frames apart
  private playing = false;

  constructor(private readonly state: State) {
    const { clock } = state;
    this.play.classList.add("play");
    const loop = iconButton("loop", "Loop", () => {
      clock.loop = !clock.loop;
      loop.setAttribute("aria-pressed", String(clock.loop));
    });
    loop.setAttribute("aria-pressed", String(clock.loop));
    const speed = choice("Speed", speeds.map((each) => `${each}×`), this.firstSpeed(), (i) => (clock.speed = speeds[i]));
    clock.speed = speeds[this.firstSpeed()];
    this.slider.addEventListener("input", () => {
      clock.pause();
      clock.seek(Number(this.slider.value));
    });
    const steps = el(
      "div",
      { class: "steps" },
      iconButton("start", "Go to start", () => clock.seek(clock.start)),
      iconButton("back", "Previous frame", () => this.step(-1)),
      this.play,
      iconButton("next", "Next frame", () => this.step(1)),
    );
    this.element.append(
      steps,
      el("div", { class: "track" }, this.slider, this.ticks),
      this.readout,
      el("div", { class: "pace" }, speed, loop),
    );
    state.on("motion", () => this.span());
    this.span();
    clock.onChange(() => this.update(false));
  }

  // Short runs start slowed down, so that there is something to see.
  private firstSpeed(): number {
    const { start, end } = this.state.clock;
    const span = end - start;
    if (!(span > 0) || span >= 1) return speeds.indexOf(1);
    const fit = speeds.filter((speed) => span / speed >= 2);
    return Math.max(0, fit.length - 1);
  }

  step(by: number): void {
    const { clock, track } = this.state;
    clock.pause();
    const row = track.rowAt(clock.time);
    const between = clock.time > track.t[row] + 1e-9 * (track.end - track.start);
    const wanted = by < 0 && between ? row : row + by;
    clock.seek(track.t[Math.min(Math.max(wanted, 0), track.rows - 1)]);
  }

  private span(): void {
    const { clock, track } = this.state;
    this.element.hidden = clock.still;
    this.slider.min = String(clock.start);
    this.slider.max = String(clock.end);
    const step = (clock.end - clock.start) / Math.max(1, track.rows - 1);
    this.digits = Math.min(6, Math.max(1, Math.ceil(-Math.log10(step || 1) - 1e-6)));
    this.ticks.replaceChildren();
    const events = track.run.slackEvents
      .filter(({ kind, time }) => kind === "slack" && time >= clock.start && time <= clock.end)
      .slice(0, 300);
    for (const { time } of events) {
      const mark = el("i");
      mark.style.left = `${(100 * (time - clock.start)) / (clock.end - clock.start || 1)}%`;
      this.ticks.append(mark);
    }
    this.update(true);
  }

  // The words are renewed only when asked or when the picture stands.
  update(withWords: boolean): void {
    const { clock } = this.state;
    if (clock.playing !== this.playing) {
      this.playing = clock.playing;
      const name = this.playing ? "Pause" : "Play";
      this.play.setAttribute("aria-label", name);
      this.play.title = `${name} (space)`;
      this.play.replaceChildren(icon(this.playing ? "pause" : "play"));
      withWords = true;
    }
    if (!withWords && clock.playing) return;
    this.slider.value = String(clock.time);
    const part = (clock.time - clock.start) / (clock.end - clock.start || 1);
    this.slider.style.setProperty("--part", `${(100 * part).toFixed(2)}%`);
    const now = clock.time.toFixed(this.digits);
    this.now.textContent = now;
    this.whole.textContent = ` / ${clock.end.toFixed(this.digits)}`;
    this.slider.setAttribute("aria-valuetext", `${now} seconds`);
  }
}
