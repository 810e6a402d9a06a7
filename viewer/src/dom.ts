// Elements, made without ever reading text as HTML.

type Attributes = Record<string, string | number | boolean | null>;

// el("button", { class: "quiet", "aria-label": "Fit" }, "text" or elements)
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

const drawings = {
  play: "M8 5.5v13l11-6.5z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  start: "M6 5h2.5v14H6zM19 5v14L9 12z",
  back: "M16 5v14L6 12zM17 5h2v14h-2z",
  next: "M8 5v14l10-7zM5 5h2v14H5z",
  loop: "M7 7h9v-3l5 4.5-5 4.5v-3H9v3H7zM17 17H8v3l-5-4.5L8 11v3h7v-3h2z",
  sun: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zM11 19h2v4h-2zM1 11h4v2H1zM19 11h4v2h-4zM4.2 5.6l1.4-1.4 2.8 2.8L7 8.4zM15.6 17l1.4-1.4 2.8 2.8-1.4 1.4zM4.2 18.4 7 15.6 8.4 17l-2.8 2.8zM15.6 7l2.8-2.8 1.4 1.4L17 8.4z",
  moon: "M13 3a9 9 0 1 0 8 12.6A7.5 7.5 0 0 1 13 3z",
  panel: "M3 5h18v14H3zM5 7v10h8V7zM15 7v10h4V7z",
  keys: "M2 6h20v12H2zM4 8v8h16V8zM6 9.5h2v2H6zM9.5 9.5h2v2h-2zM13 9.5h2v2h-2zM16.5 9.5h2v2h-2zM8 13h8v1.8H8z",
  warning: "M12 3 1.5 21h21zM11 10h2v5h-2zM11 16.5h2v2h-2z",
};
export type IconName = keyof typeof drawings;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  set(svg, { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" });
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  set(path, { d: drawings[name], "fill-rule": "evenodd" });
  svg.append(path);
  return svg;
}

// A button with a picture; its name is read out and shown as a hint.
export function iconButton(name: IconName, label: string, pressed: () => void): HTMLButtonElement {
  const button = el("button", { type: "button", class: "icon-button", "aria-label": label, title: label }, icon(name));
  button.addEventListener("click", pressed);
  return button;
}

export function button(label: string, pressed: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", pressed);
  return made;
}

// A box to tick, with its words.
export function check(label: string, on: boolean, changed: (on: boolean) => void): HTMLLabelElement {
  const box = el("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => changed(box.checked));
  return el("label", { class: "check" }, box, el("span", {}, label));
}

// A choice of one; options are texts, the value is the index.
export function choice(label: string, options: string[], chosen: number, changed: (index: number) => void): HTMLSelectElement {
  const select = el("select", { "aria-label": label, title: label });
  options.forEach((option, i) => select.append(el("option", { value: i }, option)));
  select.value = String(chosen);
  select.addEventListener("change", () => changed(Number(select.value)));
  return select;
}
