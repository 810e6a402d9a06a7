// The list of mode shapes, the amplitude, and runs laid over each other.
import { check, el } from "../dom";
import type { State } from "../state";
import { cut, number, quantity } from "../text";

export function modesPanel(state: State): HTMLElement {
  const list = el("ul", { class: "modes", "aria-label": "Mode shapes" });
  const entries = state.report.modes.map((mode, index) => {
    const damping = Number.isNaN(mode.dampingRatio) ? "" : `ζ ${number(100 * mode.dampingRatio, 3)} %`;
    const entry = el(
      "button",
      { type: "button", class: "mode", title: mode.label.slice(0, 400) },
      el("span", { class: "mode-label" }, cut(mode.label, 40)),
      el("span", { class: "mode-frequency" }, Number.isNaN(mode.frequencyHz) ? "" : quantity(mode.frequencyHz, "Hz")),
      el("span", { class: "mode-damping" }, damping),
    );
    entry.addEventListener("click", () => {
      state.show("mode", index);
      if (!state.clock.playing) state.clock.toggle();
    });
    list.append(el("li", {}, entry));
    return entry;
  });
  const slider = el("input", { type: "range", min: 0, max: 0.3, step: 0.005, "aria-label": "Amplitude" });
  slider.value = String(state.amplitude);
  const shown = el("output");
  const describe = () => (shown.textContent = quantity(state.amplitude * state.size, "m", 2));
  slider.addEventListener("input", () => {
    state.setAmplitude(Number(slider.value));
    describe();
  });
  describe();
  const mark = () =>
    entries.forEach((entry, index) => {
      const on = state.motion.kind === "mode" && state.motion.index === index;
      entry.setAttribute("aria-pressed", String(on));
    });
  state.on("motion", mark);
  mark();
  return el(
    "div",
    {},
    el("div", { class: "amplitude" }, el("span", {}, "Amplitude"), slider, shown),
    list,
    el("p", { class: "empty" }, "Every shape swings once in 2 s on the screen, whatever its frequency."),
  );
}

// Which run is shown, and which lie over it.
export function runsPanel(state: State): HTMLElement {
  const box = el("fieldset", { class: "runs" }, el("legend", {}, "Runs"));
  const list = el("div", { class: "run-list" });
  box.append(list);
  const build = () => {
    list.replaceChildren();
    state.report.runs.forEach((run, index) => {
      const radio = el("input", { type: "radio", name: "main-run" });
      radio.checked = state.motion.kind === "run" && state.motion.index === index;
      radio.addEventListener("change", () => state.show("run", index));
      const name = el("label", { class: "check", title: run.label.slice(0, 400) }, radio, el("span", {}, cut(run.label, 40)));
      const over = check("compare", state.overlaid.has(index), (on) => state.overlay(index, on));
      const input = over.querySelector("input")!;
      input.setAttribute("aria-label", `Lay ${cut(run.label, 40)} over the run shown`);
      input.disabled = radio.checked || state.motion.kind === "mode";
      list.append(el("div", { class: "run-row" }, name, over));
    });
  };
  state.on("motion", build);
  build();
  return box;
}
