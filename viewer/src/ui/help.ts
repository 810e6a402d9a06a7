// The table of keys, in a dialog.
import { button, el } from "../dom";

const keys: Help = [
  ["Space", "play or pause"],
  ["← →", "one frame back or on (with Shift: ten)"],
  ["Home, End", "to the start or the end"],
  ["1 2 3 4", "iso, front, side, top view"],
  ["0", "fit the structure into the view"],
  ["F", "follow the structure"],
  ["N", "names of the nodes"],
  ["[ ]", "previous or next mode shape"],
  ["T", "light or dark"],
  ["P", "hide or show the panel"],
  ["Esc", "clear the selection"],
  ["?", "this list"],
];
const pointer: Help = [
  ["Drag", "orbit; with the right button or two fingers: pan"],
  ["Wheel, pinch", "zoom"],
  ["Click", "select a node, bar or cable"],
  ["Arrow keys, + −", "with Alt, while the scene has the focus: orbit; plus and minus: zoom"],
  ["In a plot", "click: go to that time; drag: zoom in; double click or Esc: all; wheel after a click: zoom"],
];

export type Help = [key: string, meaning: string][];

export function helpDialog(keyRows: Help = keys, pointerRows: Help = pointer): HTMLDialogElement {
  const table = (rows: Help) =>
    el("table", {}, ...rows.map(([key, meaning]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, meaning))));
  const dialog = el("dialog", { class: "help", "aria-label": "Keys" });
  dialog.append(el("h2", {}, "Keys"), table(keyRows), el("h2", {}, "Pointer"), table(pointerRows), button("Close", () => dialog.close()));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
