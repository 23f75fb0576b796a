/** One item with all its questions, faster: a letter takes a rater's answers, digits choose question by question, Enter
 * saves and shows the next item, which was fetched ahead.
 *
 * The page works without this; keys do what a click does.
 */

import { closeKeys, toggle } from "./aside.js";
import { showNextOpen, watchBelow } from "./below.js";

const TEXT = "textarea, input[type=text], select";
const SETTING = "interrater:keys";
const keysAreOn = () => localStorage.getItem(SETTING) !== "off";
const form = () => document.getElementById("decisions");

/* The next item: its address, and its page once it is here. */
let ahead = null;
/* One saving after the other, so that none overtakes the one before. */
let saving = Promise.resolve();
let isSent = false;

async function fetchAhead() {
  const address = form().dataset.following;
  ahead = null;
  if (!address) return;
  try {
    const response = await fetch(address);
    if (response.ok && form().dataset.following === address) {
      ahead = { address: response.url, html: await response.text() };
    }
  } catch {
    // Without it the next item comes as it does without scripts.
  }
}

function show(html, address) {
  const page = new DOMParser().parseFromString(html, "text/html");
  document.querySelector("main").replaceWith(page.querySelector("main"));
  document.title = page.title;
  if (address) history.pushState({}, "", address);
  begin();
  scrollTo(0, 0);
}

/* What was shown comes back with what was chosen, and says why. */
function putBack(main, address, sentence) {
  document.querySelector("main").replaceWith(main);
  history.replaceState({}, "", address);
  const notice = document.getElementById("not-saved");
  notice.textContent = sentence;
  notice.hidden = false;
  isSent = false;
  notice.scrollIntoView();
}

async function send(body, main, address) {
  let response;
  try {
    response = await fetch(address, { method: "POST", body, keepalive: true });
  } catch {
    putBack(main, address, "Not saved: the server was not reached. Save again when you are connected.");
    return;
  }
  if (response.status === 204) {
    const undo = document.getElementById("undo");
    undo.querySelector("[data-undoes]").textContent = main.querySelector("#decisions").dataset.item;
    undo.hidden = false;
    // The disputes of a large project may still be counted.
    if (!response.headers.has("X-Resolved")) return;
    document.querySelector(".page-progress span").textContent = response.headers.get("X-Resolved");
    // What follows may have been resolved since it was looked up.
    const following = response.headers.get("X-Following");
    if (form().dataset.item === body.get("shown") && following !== (form().dataset.following ?? "")) {
      if (following) form().dataset.following = following;
      else delete form().dataset.following;
      fetchAhead();
    }
    return;
  }
  const html = await response.text();
  if (html.includes('id="decisions"')) show(html, address);
  else putBack(main, address, `Not saved (${response.status}). Reload the page and try again.`);
}

function save(event) {
  if (isSent) {
    event.preventDefault();
    return;
  }
  isSent = true;
  const isAllChosen = event.submitter?.name === "accept" || form().querySelector("[type=radio]:enabled:checked");
  if (!ahead || !isAllChosen) return;
  event.preventDefault();
  const body = new FormData(form(), event.submitter);
  const main = document.querySelector("main");
  const address = form().action;
  show(ahead.html, ahead.address);
  // Which item is shown now, so that the answer can say what follows it.
  body.set("ahead", form().dataset.pk);
  body.set("shown", form().dataset.item);
  saving = saving.then(() => send(body, main, address));
}

function choose(input) {
  input.closest("details")?.setAttribute("open", "");
  input.checked = true;
  showAsked();
  input.focus();
  moveOn(input);
}

/* A question is decided: the next one without a choice comes into sight. */
function moveOn(input) {
  const field = input.closest("fieldset[data-question]");
  if (field && input.name.startsWith("decision-")) showNextOpen(field, (one) => one.disabled || one.querySelector("[type=radio]:checked"));
}

/** Questions that hang on an earlier one are there while its decision, or what is final now, asks them
 * (raters/adjudication/conditional_questions.py). What is not asked is not sent.
 */
function showAsked() {
  const fields = [...form().querySelectorAll("fieldset[data-question]")];
  const byQuestion = new Map(fields.map((field) => [Number(field.dataset.question), field]));
  for (const field of fields.filter((each) => "links" in each.dataset)) {
    const answers = JSON.parse(field.dataset.links)
      // An earlier question without any answer is not on the page, and decides nothing.
      .filter(([parent]) => byQuestion.has(parent))
      .map(([parent, categories]) => asks(byQuestion.get(parent), categories));
    // The first of the chain that does not ask it says why; the nearest is the first of these.
    const why = answers.findLast((answer) => answer !== true);
    field.hidden = why === false;
    field.disabled = why !== undefined;
    field.querySelector("[data-body]").hidden = field.disabled;
  }
}

/* Null while nothing is final. */
function asks(parent, categories) {
  const chosen = chosenIn(parent);
  return chosen && chosen.some((category) => categories.includes(category));
}

function chosenIn(field) {
  const decision = field.querySelector("[name^=decision-]:checked")?.value;
  if (decision === undefined) return field.dataset.final?.split(" ").filter(Boolean).map(Number) ?? null;
  const others = [...field.querySelectorAll("[name^=other_category-]:checked")];
  if (decision === "other") return others.map(({ value }) => Number(value));
  return decision.match(/\d+/g)?.map(Number) ?? [];
}

/* Choose all answers of one rater; questions where they could not tell stay as they are. */
function take(button) {
  for (const input of form().querySelectorAll("[data-given-by]")) {
    if (input.dataset.givenBy.split("|").includes(button.value)) input.checked = true;
  }
  showAsked();
  form().querySelector(".button.primary").focus();
}

/* The question that a digit is for: the one in focus, then the first that is open and has no choice. */
function current() {
  const focused = document.activeElement.closest?.("fieldset[data-question]");
  if (focused && !focused.querySelector("[type=radio]:checked")) return focused;
  const open = [...form().querySelectorAll("fieldset[data-question]:enabled")];
  const waiting = open.filter((each) => !each.querySelector("[type=radio]:checked"));
  return waiting.find((each) => "open" in each.dataset) ?? focused ?? waiting[0] ?? open[0];
}

const KEYS = {
  s: () => form().querySelector("[data-skip]")?.click(),
  u: () => {
    const undo = document.getElementById("undo");
    // What is still being saved is undone once it is.
    if (!undo.hidden) saving.then(() => undo.requestSubmit());
  },
  g: () => toggle("guidelines"),
  "?": () => toggle("keys"),
};

function act(key) {
  const accepting = form().querySelector(`[data-accept="${CSS.escape(key.toLowerCase())}"]`);
  if (accepting) return () => take(accepting);
  const chosen = current()?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  return chosen ? () => choose(chosen) : KEYS[key.toLowerCase()];
}

function press(event) {
  const { target, key } = event;
  if (!form() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape" && target.matches(TEXT)) {
    target.blur();
    return;
  }
  if (key === "Escape" && closeKeys()) return;
  const isPrimary = target.matches(".button.primary");
  if (key === "Enter" && (isPrimary || !target.matches("a, button, summary, textarea, select"))) {
    event.preventDefault();
    form().requestSubmit(form().querySelector(".button.primary"));
    return;
  }
  if (target.matches(TEXT) || !keysAreOn()) return;
  const does = act(key);
  if (!does) return;
  event.preventDefault();
  does();
}

function begin() {
  isSent = false;
  form().addEventListener("submit", save);
  form().addEventListener("input", ({ target }) => {
    // Filling in a field below “Other decision” chooses it.
    if (/^other_(category|number)-/.test(target.name)) {
      target.closest("fieldset").querySelector("[value=other]").checked = true;
    }
    showAsked();
    moveOn(target);
  });
  showAsked();
  const setting = document.querySelector("[data-keys-off]");
  setting.hidden = false;
  setting.querySelector("input").checked = keysAreOn();
  setting.addEventListener("input", ({ target }) => localStorage.setItem(SETTING, target.checked ? "on" : "off"));
  fetchAhead();
}

document.addEventListener("keydown", press);
// Coming back by the browser’s button reloads the page.
window.addEventListener("popstate", () => location.reload());
window.addEventListener("pageshow", () => (isSent = false));
begin();
watchBelow();
