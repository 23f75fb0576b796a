/** What the page tells besides the item: troubles, how far along one is, and what was saved last. */

import { element, main } from "./label_page.js";

// The pace is that of this many last items; with fewer than the minimum, none is shown. The same as on the server.
const RECENT = 30;
const LEAST = 3;

const paces = [];
let nDone = 0;

/** One line for each problem, by name, so that none is shown twice; without parts, the problem is over. */
export function tell(name, ...parts) {
  const place = main.querySelector("[data-problem]");
  const before = place.querySelector(`[data-about="${name}"]`);
  if (!parts.length) return before?.remove();
  const line = element("p", "", { class: "notice warning", "data-about": name });
  line.append(...parts);
  if (before?.textContent === line.textContent) return;
  before?.remove();
  place.append(line);
}

/** As `tell`, of this item alone: the next one has nothing to do with it. */
export function tellHere(name, ...parts) {
  tell(name, ...parts);
  main.querySelector(`[data-about="${name}"]`)?.setAttribute("data-here", "");
}

export function forgetHere() {
  for (const line of main.querySelectorAll("[data-here]")) line.remove();
}

export function countDone(n, seconds) {
  nDone = Math.max(0, nDone + n);
  if (seconds) paces.push(seconds);
  if (paces.length > RECENT) paces.shift();
}

/** The pages ahead were made before the last items were saved, so that they count too few.
 *
 * nUnsaved: how many answers wait because something keeps them from being saved.
 */
export function showProgress(nUnsaved) {
  const done = main.querySelector("[data-done]");
  if (!done) return;
  showUnsaved(done.parentElement, nUnsaved);
  nDone = Math.max(nDone, Number(done.dataset.done));
  done.textContent = nDone.toLocaleString("en");
  const bar = main.querySelector(".page-progress progress");
  // With assignments on demand, the number left is unknown.
  if (!bar) return;
  bar.value = nDone;
  const left = main.querySelector("[data-left]");
  const pace = paces.length < LEAST ? Number(left.dataset.pace) : median(paces);
  if (pace) left.textContent = nDone < bar.max ? ` · about ${roughly(pace * (bar.max - nDone))} left` : "";
}

function showUnsaved(counted, n) {
  const before = counted.parentElement.querySelector("[data-unsaved]");
  const words = `${n} not saved yet`;
  if (before?.textContent === words) return;
  before?.remove();
  if (n) counted.after(element("span", words, { "data-unsaved": "" }));
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
}

/* As the filter of the same name says it. */
function roughly(seconds) {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What becomes of the last item, and how to take it back. */
export function showLast(words, { isUndoable = false } = {}) {
  const place = main.querySelector("[data-saved]");
  if (!place || place.dataset.words === words) return;
  place.dataset.words = words;
  if (!isUndoable) return place.replaceChildren(words);
  const again = element("button", "Undo", { type: "button", class: "plain", "data-undo-last": "", "aria-keyshortcuts": "u" });
  place.replaceChildren(words, again, " ", element("kbd", "u", { "aria-hidden": "true" }));
}
