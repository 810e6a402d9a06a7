// The side panel: tabs, moved through with the arrow keys.
import { el } from "../dom";

export interface Tab {
  key: string;
  title: string;
  content: HTMLElement;
}

export class Panel {
  readonly element = el("aside", { class: "panel", "aria-label": "Plots and values" });
  private readonly buttons: HTMLButtonElement[];
  private readonly pages: HTMLElement[];

  constructor(private readonly tabs: Tab[]) {
    const bar = el("div", { class: "tabs", role: "tablist" });
    this.buttons = tabs.map((tab, i) => {
      const made = el("button", { type: "button", role: "tab", id: `tab-${tab.key}`, "aria-controls": `page-${tab.key}` }, tab.title);
      made.addEventListener("click", () => this.open(tab.key));
      made.addEventListener("keydown", (event) => {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (by === 0) return;
        event.preventDefault();
        event.stopPropagation();
        const next = (i + by + tabs.length) % tabs.length;
        this.open(tabs[next].key);
        this.buttons[next].focus();
      });
      bar.append(made);
      return made;
    });
    this.pages = tabs.map((tab) =>
      el("div", { class: "page", role: "tabpanel", id: `page-${tab.key}`, "aria-labelledby": `tab-${tab.key}` }, tab.content),
    );
    if (tabs.length > 1) this.element.append(bar);
    this.element.append(...this.pages);
    if (tabs.length > 0) this.open(tabs[0].key);
  }

  open(key: string): void {
    this.tabs.forEach((tab, i) => {
      const on = tab.key === key;
      this.buttons[i].setAttribute("aria-selected", String(on));
      this.buttons[i].tabIndex = on ? 0 : -1;
      this.pages[i].hidden = !on;
    });
  }
}
