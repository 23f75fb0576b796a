/** The page of one dispute, faster: digits adopt a label, letters reach the rest, Enter saves and goes on.
 *
 * The page works without this; keys do what a click does.
 */

import { closeKeys, toggle } from "./aside.js";
import { watchBelow } from "./below.js";

const TEXT = "textarea, input[type=text], select";
const SETTING = "interrater:keys";

const form = document.getElementById("decision");
const keysAreOn = () => localStorage.getItem(SETTING) !== "off";

function choose(input) {
  input.closest("details")?.setAttribute("open", "");
  input.focus();
  input.click();
}

function otherwise() {
  const place = form.querySelector(".other-decision");
  place.open = true;
  (place.querySelector("input:checked") ?? place.querySelector("input")).focus();
}

const KEYS = {
  o: otherwise,
  r: () => form.elements.reason.focus(),
  n: () => form.elements.note.focus(),
  f: () => choose(form.elements.for_guidelines),
  s: () => form.querySelector("[data-skip]")?.click(),
  g: () => toggle("guidelines"),
  "?": () => toggle("keys"),
};

function press(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape" && target.matches(TEXT)) {
    target.blur();
    return;
  }
  if (key === "Escape" && closeKeys()) return;
  if (key === "Enter" && !target.matches("a, button, summary, textarea, select")) {
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  if (target.matches(TEXT) || !keysAreOn()) return;
  const adopted = form.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const act = adopted ? () => choose(adopted) : KEYS[key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
}

/* A double click sends one decision. */
let isSent = false;
form.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});
// After coming back by the browser’s button, the form can be sent again.
window.addEventListener("pageshow", () => (isSent = false));

/* Filling in a field below “Other decision” chooses it. */
form.addEventListener("input", ({ target }) => {
  if (target.matches("[name=other_category], [name=other_number]")) form.querySelector("[value=other]").checked = true;
});

document.addEventListener("keydown", press);
const setting = document.querySelector("[data-keys-off]");
setting.hidden = false;
setting.querySelector("input").checked = keysAreOn();
setting.addEventListener("input", ({ target }) => localStorage.setItem(SETTING, target.checked ? "on" : "off"));
watchBelow();
