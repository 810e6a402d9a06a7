// Keys for the whole page. Keys that mean something to the element in focus stay with it.

export interface Commands {
  [key: string]: (event: KeyboardEvent) => void;
}

export function listenForKeys(commands: Commands): void {
  // A button that was clicked with the mouse gives the space bar back to playing.
  let byPointer = false;
  document.addEventListener("pointerdown", () => (byPointer = true), true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") byPointer = false;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const target = document.activeElement;
    if (target instanceof HTMLElement && wants(target, event.key) && !(byPointer && isPress(target, event.key))) return;
    const command = commands[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!command) return;
    event.preventDefault();
    command(event);
  });
  // Space also clicks a focused button when it is let go.
  document.addEventListener("keyup", (event) => {
    const target = document.activeElement;
    if (event.key === " " && byPointer && target instanceof HTMLElement && isPress(target, " ")) event.preventDefault();
  });
}

function isPress(target: HTMLElement, key: string): boolean {
  return key === " " && target.matches("button, summary, input[type=range]");
}

function wants(target: HTMLElement, key: string): boolean {
  if (target.matches("input[type=search], input[type=text], textarea")) return true;
  if (target.matches("select")) return true;
  if (target.matches("input[type=radio]")) return key === " " || key.startsWith("Arrow");
  if (target.matches("input[type=checkbox], button, summary")) return key === " " || key === "Enter";
  return false;
}
