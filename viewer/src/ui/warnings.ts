// Warnings of the report, at the top: one in full, more behind a line that unfolds.
import { el, icon } from "../dom";
import { cut } from "../text";

export function warningStrip(warnings: readonly string[]): HTMLElement[] {
  if (warnings.length === 0) return [];
  const sentence = (words: string) => el("span", { title: words.length > 300 ? words.slice(0, 10000) : null }, cut(words, 300));
  if (warnings.length === 1) {
    return [el("div", { class: "warnings", role: "status" }, icon("warning"), sentence(warnings[0]))];
  }
  const list = el("ul", {}, ...warnings.slice(0, 200).map((words) => el("li", {}, sentence(words))));
  const head = el("summary", {}, icon("warning"), el("strong", {}, `${warnings.length} warnings`), sentence(warnings[0]));
  return [el("details", { class: "warnings" }, head, list)];
}
