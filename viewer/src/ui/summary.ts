// Tables, slack events with jumps to their time, notes.
import { el } from "../dom";
import type { State } from "../state";
import type { Table } from "../document";
import { cut } from "../text";

const most = 200; // rows of a table at first

export function summaryPanel(state: State): HTMLElement {
  const { report } = state;
  const panel = el("div", { class: "summary" });
  for (const table of report.tables) panel.append(tableView(table));
  const events = report.runs[0]?.slackEvents ?? [];
  if (events.length > 0) panel.append(eventView(state));
  if (report.notes.length > 0) {
    const notes = el("ul");
    for (const note of report.notes) notes.append(el("li", { title: note.length > 600 ? note.slice(0, 10000) : null }, cut(note, 600)));
    panel.append(el("section", { class: "table-card" }, el("h3", {}, "Notes"), notes));
  }
  if (panel.childElementCount === 0) panel.append(el("p", { class: "empty" }, "This report brings no tables."));
  panel.append(el("p", { class: "generator" }, report.generator ? `Written by ${cut(report.generator, 60)}` : ""));
  return panel;
}

function tableView(table: Table): HTMLElement {
  const section = el("section", { class: "table-card" });
  if (table.title !== "") section.append(el("h3", { title: table.title.slice(0, 400) }, cut(table.title, 80)));
  const body = el("tbody");
  const grid = el("table", { class: table.columns.length > 0 ? "data" : "data pairs" });
  if (table.columns.length > 0) {
    grid.append(el("thead", {}, el("tr", {}, ...table.columns.map((name) => el("th", { scope: "col" }, cut(name, 60))))));
  }
  const fill = (rows: string[][]) => {
    for (const cells of rows) {
      const row = el("tr");
      cells.forEach((cell, i) => {
        const element = i === 0 ? el("th", { scope: "row" }) : el("td");
        if (cell.length > 80) element.title = cell.slice(0, 10000);
        if (i > 0 && /^[-−+]?[\d.]/.test(cell)) element.className = "number";
        element.textContent = cut(cell, 80);
        row.append(element);
      });
      body.append(row);
    }
  };
  fill(table.rows.slice(0, most));
  grid.append(body);
  section.append(el("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": cut(table.title || "Table", 60) }, grid));
  if (table.rows.length > most) {
    const more = el("button", { type: "button", class: "quiet" }, `Show all ${table.rows.length} rows`);
    more.addEventListener("click", () => {
      fill(table.rows.slice(most));
      more.remove();
    });
    section.append(more);
  }
  return section;
}

function eventView(state: State): HTMLElement {
  const events = state.report.runs[0].slackEvents;
  const names = state.report.structure?.cables.names ?? [];
  const list = el("ul", { class: "events" });
  for (const event of events.slice(0, most)) {
    const jump = el(
      "button",
      { type: "button", class: "event" },
      el("span", { class: "event-time" }, `${event.time.toFixed(3)} s`),
      el("span", {}, cut(names[event.cable] ?? "", 40)),
      el("span", { class: `event-kind ${event.kind}` }, event.kind === "slack" ? "went slack" : "became taut"),
    );
    jump.addEventListener("click", () => {
      state.clock.pause();
      state.clock.seek(event.time);
      state.select({ kind: "cable", index: event.cable });
    });
    list.append(el("li", {}, jump));
  }
  const section = el("section", { class: "table-card" }, el("h3", {}, "Slack cables"), list);
  if (events.length > most) section.append(el("p", { class: "empty" }, `${events.length - most} more are not listed.`));
  return section;
}
