// Light or dark: as the system wants, until the reader chooses.
import { lineColor } from "./colors";
import type { Ink } from "./plot/draw";

// Whatever is drawn in colours of its own.
export interface Themed {
  dark: boolean;
  emit(event: "theme"): void;
}

let chosen: boolean | null = null; // dark, light, or not chosen

export function followTheme(state: Themed): void {
  const wish = window.matchMedia("(prefers-color-scheme: dark)");
  chosen = recall();
  wish.addEventListener("change", () => apply(state, chosen ?? wish.matches));
  apply(state, chosen ?? wish.matches);
}

export function toggleTheme(state: Themed): void {
  chosen = !state.dark;
  try {
    localStorage.setItem("taut-theme", chosen ? "dark" : "light");
  } catch {
    // Where nothing may be kept, the choice holds for this page.
  }
  apply(state, chosen);
}

function apply(state: Themed, dark: boolean): void {
  state.dark = dark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  state.emit("theme");
}

function recall(): boolean | null {
  try {
    const kept = localStorage.getItem("taut-theme");
    return kept === null ? null : kept === "dark";
  } catch {
    return null;
  }
}

export function plotInk(state: Themed): Ink {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: read("--text"),
    muted: read("--muted"),
    grid: read("--line"),
    line: (index) => lineColor(index, state.dark),
  };
}
