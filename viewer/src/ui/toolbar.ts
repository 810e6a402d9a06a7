// Over the scene: named views, what is shown.
import { button, check, el } from "../dom";
import type { ViewName } from "../scene/camera";
import type { View3D } from "../scene/view";
import type { State } from "../state";

export class Toolbar {
  readonly element = el("div", { class: "toolbar", role: "group", "aria-label": "View" });
  private readonly follow: HTMLButtonElement;
  private readonly names: HTMLInputElement;

  constructor(
    private readonly state: State,
    private readonly view: View3D,
    private readonly redraw: () => void,
  ) {
    const views: [string, ViewName | "fit"][] = [["Iso", "iso"], ["Front", "front"], ["Side", "side"], ["Top", "top"], ["Fit", "fit"]];
    const group = el("div", { class: "segments" });
    for (const [label, name] of views) group.append(button(label, () => this.look(name)));
    this.follow = button("Follow", () => this.setFollow(!view.following), { "aria-pressed": String(view.following) });
    const offer = () => {
      this.follow.hidden = state.motion.kind === "mode" || state.clock.still || view.extent.travel < 0.02 * view.extent.size;
    };
    state.on("motion", offer);
    offer();
    const names = check("Names", view.labels.names, (on) => this.setNames(on));
    this.names = names.querySelector("input")!;
    const shown = el("details", { class: "menu" }, el("summary", {}, "Show"));
    const list = el("div", { class: "menu-list" }, names);
    const { ground, forces, frames, paths } = view;
    if (state.report.structure?.frames.length) {
      list.append(
        check("Frames", true, (on) =>
          this.change(() => {
            frames.group.visible = on;
            state.emit("display");
          }),
        ),
      );
    }
    if (ground) list.append(check("Shadow", true, (on) => this.change(() => ground.showShadows(on))));
    if (state.report.runs.length > 0 && view.extent.travel > 0.05 * view.extent.size) {
      list.append(check("Path of the centre", true, (on) => this.change(() => paths.show(on))));
    }
    const kinds = [["load", "Loads"], ["support", "Support forces"], ["contact", "Contacts"]] as const;
    for (const [kind, label] of kinds) {
      if (!(forces.largest[kind] > 0)) continue;
      list.append(
        check(label, true, (on) =>
          this.change(() => {
            forces.shown[kind] = on;
            state.emit("display");
          }),
        ),
      );
    }
    shown.append(list);
    document.addEventListener("pointerdown", (event) => {
      if (!shown.contains(event.target as Node)) shown.open = false;
    });
    shown.addEventListener("keydown", (event) => {
      if (event.key === "Escape") shown.open = false;
    });
    this.element.append(group, this.follow, shown);
  }

  look(name: ViewName | "fit"): void {
    this.view.look(name);
    this.redraw();
  }

  setFollow(on: boolean): void {
    this.view.following = on;
    this.follow.setAttribute("aria-pressed", String(on));
    this.view.look("fit");
    this.redraw();
  }

  toggleFollow(): void {
    this.setFollow(!this.view.following);
  }

  setNames(on: boolean): void {
    this.names.checked = on;
    this.change(() => (this.view.labels.names = on));
  }

  toggleNames(): void {
    this.setNames(!this.view.labels.names);
  }

  private change(what: () => void): void {
    what();
    this.view.seek(this.state.clock.time);
    this.redraw();
  }
}
