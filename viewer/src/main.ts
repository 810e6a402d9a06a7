// Entry: waits for the data, builds the page, or says what went wrong. Offers window.taut to tests.
import { ReportError } from "./arrays";
import { App } from "./app";
import { loadReport } from "./load";
import { SweepApp } from "./sweep/app";
import { failurePage } from "./ui/message";

// Read only; documented in docs/report.md.
interface TautApi {
  readonly ready: Promise<void>; // fulfilled when the first picture is drawn, or a failure shown
  readonly errors: readonly string[];
  time(): number;
  frame(): number; // row of the run
  playing(): boolean;
  settled(): boolean; // the picture is the last one until something changes
  fps(): number; // pictures a second while playing
  project(name: string): { x: number; y: number } | null; // of a node, body or joint: pixels of the page
  course(cable: string): number[][]; // points that a cable is drawn through, m
  point(run: number): { x: number; y: number } | null; // of a run in the scatter plot of a sweep
  selected(): number | null; // run of a sweep
}

let app: App | null = null;
let sweep: SweepApp | null = null;
const errors: string[] = [];

function fail(title: string, words: string): void {
  errors.push(words);
  document.getElementById("root")?.replaceChildren(failurePage(title, words));
}

async function open(): Promise<void> {
  const take = (id: string): string | null => {
    const element = document.getElementById(id);
    const content = element?.textContent ?? null;
    element?.remove();
    return content;
  };
  try {
    const report = await loadReport(take("taut-document"), take("taut-arrays"));
    const root = document.getElementById("root");
    if (root && report.sweep) sweep = new SweepApp(report, report.sweep, root);
    else if (root) app = new App(report, root);
  } catch (error) {
    if (error instanceof ReportError) return fail("This report cannot be shown", error.message);
    fail("This report cannot be shown", `Something unexpected went wrong while it was opened: ${String(error)}`);
  }
}

window.addEventListener("error", (event) => errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));

const ready = new Promise<void>((resolve) => {
  const start = () => void open().then(() => requestAnimationFrame(() => resolve()));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
});

const api: TautApi = {
  ready,
  get errors() {
    return [...errors];
  },
  time: () => app?.state.clock.time ?? 0,
  frame: () => app?.state.track.rowAt(app.state.clock.time) ?? 0,
  playing: () => app?.state.clock.playing ?? false,
  settled: () => app?.settled() ?? true,
  fps: () => app?.scene?.view?.quality.fps() ?? 0,
  project: (name) => app?.scene?.project(name) ?? null,
  course: (cable) => app?.scene?.view?.course(cable) ?? [],
  point: (run) => sweep?.point(run) ?? null,
  selected: () => sweep?.selected() ?? null,
};
Object.defineProperty(window, "taut", { value: Object.freeze(api) });
