// A failure, in words, where the report would be.
import { el } from "../dom";

export function failurePage(title: string, words: string): HTMLElement {
  return el("main", { class: "failure", role: "alert" }, el("h1", {}, title), el("p", {}, words));
}
