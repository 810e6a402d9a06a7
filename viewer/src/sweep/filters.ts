// The filter in words and fields: what the brushes on parallel coordinates do, without a pointer.
import { button, choice, el } from "../dom";
import { cut, number } from "../text";
import { grouped } from "./chart";
import type { Table } from "./table";

export class FilterBar {
  readonly element = el("form", { class: "filters", "aria-label": "Filter" });
  private readonly chips = el("div", { class: "chips" });
  private readonly state = el("span", { class: "filter-state", role: "status" });

  constructor(private readonly table: Table) {
    const columns = [...table.columns.keys()].filter((c) => table.columns[c].count > 0);
    let chosen = 0;
    const field = (label: string) => el("input", { type: "text", inputmode: "decimal", size: 8, "aria-label": label, placeholder: label });
    const [from, to] = [field("from"), field("to")];
    const select = choice("Column to filter", columns.map((c) => cut(table.name(c), 40)), 0, (i) => (chosen = i));
    this.element.append(el("span", { class: "filter-word" }, "Only runs with"), select, from, to, el("button", { type: "submit" }, "Filter"), this.chips, this.state);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      const column = columns[chosen];
      if (column === undefined) return;
      const [low, high] = [read(from.value, -Infinity), read(to.value, Infinity)];
      const wrong = Number.isNaN(low) || Number.isNaN(high);
      from.setAttribute("aria-invalid", String(Number.isNaN(low)));
      to.setAttribute("aria-invalid", String(Number.isNaN(high)));
      if (!wrong) table.filter(column, low === -Infinity && high === Infinity ? null : [low, high]);
    });
    table.on("filter", () => this.show());
    this.show();
  }

  private show(): void {
    const { table } = this;
    const chips = [...table.filters].map(([column, [low, high]]) => {
      const words = `${cut(table.name(column), 30)} ${number(low, 3)} … ${number(high, 3)}`;
      return button(`${words} ✕`, () => table.filter(column, null), { class: "chip", "aria-label": `Take away: ${words}` });
    });
    if (chips.length > 1) chips.push(button("Show all", () => table.clearFilters(), { class: "chip" }));
    this.chips.replaceChildren(...chips);
    const drawn = table.sweep.complete ? "" : " drawn at random";
    this.state.textContent = table.filters.size > 0 ? `${grouped(table.shownCount)} of ${grouped(table.rows)} runs${drawn}` : "";
  }
}

// A number, `empty` where nothing is written, NaN for anything else. People write commas and minus signs too.
export function read(text: string, empty: number): number {
  const plain = text.trim().replace(/−/g, "-").replace(/^([^.,]*),([^.,]*)$/, "$1.$2");
  return plain === "" ? empty : Number(plain);
}
