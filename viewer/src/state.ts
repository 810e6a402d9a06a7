// What the parts of the page share: the report, the clock, what is shown and what is selected.
import { Clock } from "./clock";
import type { Report, Run } from "./document";
import { namesOf, type Pick } from "./scene/pick";
import { emptyRun, modeRun, Track } from "./track";
import { Numbers } from "./arrays";

type Event = "motion" | "selection" | "overlays" | "theme" | "display";

export class State {
  readonly clock = new Clock();
  motion: { kind: "run" | "mode"; index: number };
  amplitude = 0.08; // of mode shapes, as a part of the structure's size
  size = 1; // m, of the structure
  overlaid = new Set<number>(); // indices of runs
  selection: Pick | null = null;
  dark = false;
  track: Track;
  private readonly listeners: Record<Event, (() => void)[]> = {
    motion: [],
    selection: [],
    overlays: [],
    theme: [],
    display: [],
  };

  constructor(readonly report: Report) {
    const modal = report.modes.length > 0 && (report.kind === "modes" || report.runs.length === 0);
    this.motion = modal ? { kind: "mode", index: firstMode(report) } : { kind: "run", index: 0 };
    this.track = new Track(this.currentRun(), report.structure);
    this.clock.setSpan(this.track.start, this.track.end);
  }

  on(event: Event, listener: () => void): void {
    this.listeners[event].push(listener);
  }

  emit(event: Event): void {
    for (const listener of this.listeners[event]) listener();
  }

  private currentRun(): Run {
    const { report, motion } = this;
    if (motion.kind === "run") return report.runs[motion.index] ?? emptyRun("", Numbers.of([0]));
    const mode = report.modes[motion.index];
    const still = report.runs[0] ?? null;
    return modeRun(report.structure!, mode.shape, this.amplitude * this.size, mode.label, still, mode.bodies);
  }

  // Another run or mode, or a new amplitude.
  show(kind: "run" | "mode", index: number): void {
    const same = kind === this.motion.kind && (kind === "mode" || this.report.runs.length > 0);
    this.motion = { kind, index };
    if (kind === "mode") this.overlaid.clear();
    this.overlaid.delete(index);
    this.track = new Track(this.currentRun(), this.report.structure);
    this.clock.setSpan(this.track.start, this.track.end, same);
    this.emit("motion");
    this.emit("overlays");
  }

  setAmplitude(part: number): void {
    this.amplitude = part;
    if (this.motion.kind === "mode") this.show("mode", this.motion.index);
  }

  overlay(index: number, on: boolean): void {
    if (on) this.overlaid.add(index);
    else this.overlaid.delete(index);
    this.emit("overlays");
  }

  // The run that is shown, then those laid over it; none for a mode shape.
  compared = (): Run[] => {
    if (this.motion.kind === "mode" || this.report.runs.length === 0) return [];
    return [this.track.run, ...this.others().map(({ run }) => run)];
  };

  others(): { run: Run; color: number }[] {
    return [...this.overlaid].sort((a, b) => a - b).map((index) => ({ run: this.report.runs[index], color: index - 1 }));
  }

  select(pick: Pick | null): void {
    this.selection = pick;
    this.emit("selection");
  }

  nameOf(pick: Pick): string {
    const structure = this.report.structure;
    if (!structure) return "";
    const names = namesOf(structure)[pick.kind];
    return names[pick.index] ?? "";
  }
}

// The first that is no rigid motion or mechanism: there is most to see.
function firstMode(report: Report): number {
  const highest = Math.max(0, ...report.modes.map((mode) => mode.frequencyHz || 0));
  const index = report.modes.findIndex((mode) => mode.frequencyHz > 1e-4 * highest);
  return Math.max(0, index);
}
