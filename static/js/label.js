/** The labelling page, faster: keys, the next items fetched beforehand, and answers kept until they are saved.
 *
 * The page works without this; here the same form is sent to the API, and pages are swapped instead of loaded.
 */

import { firstMissing, inWords, readAnswers, seeWhatStands, writeAnswers } from "./label_form.js";
import { Outbox, send } from "./label_outbox.js";

const RETRY = 3000;
const TEXT = "textarea, input[type=text]";

const main = document.querySelector("main");
const form = () => document.getElementById("answers");
const outbox = new Outbox(form().dataset.owner);
const ready = [];
const trail = [];
let noneLeft = null;
let isFilling = false;
let isBusy = false;
let lastSaved = null;
let nDone = document.querySelector(".along progress").value;
let seen = 0;
let since = null;

/* Time counts only while the page is seen. */
function watchTime() {
  if (since !== null) seen += performance.now() - since;
  since = document.visibilityState === "visible" ? performance.now() : null;
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/* One line for each trouble, by name, so that the same one is not told twice. */
function trouble(name, ...parts) {
  const place = document.querySelector("[data-trouble]");
  if (!place) return;
  place.querySelector(`[data-about="${name}"]`)?.remove();
  if (!parts.length) return;
  const line = element("p", "", { class: "notice warning", "data-about": name });
  line.append(...parts);
  place.append(line);
}

function tellWaiting() {
  const n = outbox.all().length;
  if (n === 0) trouble("waiting");
  else trouble("waiting", `No connection. ${n} answer${n > 1 ? "s are" : " is"} kept in this browser and sent when it is back.`);
}

/* Pages. */

async function fetched(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok) throw new Error(`${answer.status}`);
  const isOurs = page.getElementById("answers") || page.querySelector("[data-nothing-left]");
  return isOurs ? { page, address: answer.url.replace(/\?.*/, ""), id: page.getElementById("answers")?.dataset.assignment } : null;
}

/* Fills up what lies ahead, one after the other, so that the server is not asked for all at once. */
async function fill() {
  if (isFilling || noneLeft || !form()) return;
  isFilling = true;
  try {
    const { next, ahead } = form().dataset;
    while (ready.length < Number(ahead) && !noneLeft) {
      const held = [form()?.dataset.assignment, ...ready.map((one) => one.id), ...outbox.all().map((one) => one.assignment)];
      const found = await fetched(`${next}?${held.filter(Boolean).map((id) => `besides=${id}`).join("&")}`);
      if (!found) return;
      if (found.id) ready.push(found);
      else noneLeft = found;
    }
  } catch {
    // No connection: what is there has to do.
  } finally {
    isFilling = false;
  }
}

function show({ page, address }, { isBack = false } = {}) {
  if (!isBack) history.pushState(null, "", address);
  main.className = page.querySelector("main").className;
  main.replaceChildren(...document.importNode(page.querySelector("main"), true).childNodes);
  document.title = page.title;
  begin();
  const heading = main.querySelector("h1");
  heading.setAttribute("tabindex", "-1");
  heading.focus();
  window.scrollTo(0, 0);
}

function begin() {
  seen = 0;
  since = null;
  watchTime();
  const opened = form();
  if (!opened) return tellWaiting();
  for (const hidden of main.querySelectorAll("[data-unsure], [data-keys-off]")) hidden.hidden = false;
  main.querySelector("[data-keys-off] input").checked = keysAreOn();
  showProgress();
  showSaved();
  const draft = outbox.draft(opened.dataset.assignment);
  if (draft && !main.querySelector("fieldset:disabled")) {
    writeAnswers(opened, draft);
    trouble("draft", "Your answer that was not saved is back. Save it, or change it.");
  }
  tellWaiting();
}

function showProgress() {
  const bar = main.querySelector(".along progress");
  nDone = Math.max(nDone, bar.value);
  bar.value = nDone;
  main.querySelector("[data-done]").textContent = nDone.toLocaleString("en");
}

function showSaved() {
  const place = main.querySelector("[data-saved]");
  if (!lastSaved) return;
  const again = element("button", "undo", { type: "button", class: "plain", "data-undo-last": "", "aria-keyshortcuts": "u" });
  place.replaceChildren(`✓ ${lastSaved.item} saved · `, again, " ", element("kbd", "u", { "aria-hidden": "true" }));
}

async function goOn() {
  if (form()) trail.push(location.pathname);
  const next = ready.shift();
  if (next) show(next);
  else await load(`${form().dataset.next}?${outbox.all().map((one) => `besides=${one.assignment}`).join("&")}`);
  fill();
}

async function load(address, options) {
  try {
    const found = await fetched(address);
    if (found) show(found, options);
    else location.assign(address);
  } catch {
    trouble("away", "No connection: this page cannot be fetched now. What you saved is kept in this browser.");
  }
}

/* Saving. */

async function save() {
  const opened = form();
  if (isBusy || main.querySelector("fieldset:disabled")) return;
  const missing = firstMissing(opened);
  if (missing) {
    trouble("missing", `Answer “${missing.querySelector("legend").firstChild.textContent.trim()}” first.`);
    (missing.querySelector("input") ?? missing).focus();
    return;
  }
  watchTime();
  const { assignment, item, save: address, undo } = opened.dataset;
  const body = { ...readAnswers(opened), seconds: Math.round(seen / 100) / 10 };
  const isNew = body.revisions.every(({ revision }) => revision === 0);
  const entry = waitingFor(assignment, body) ?? outbox.put({ address, undo, body, assignment, item, isNew, page: location.pathname });
  isBusy = true;
  try {
    const answer = await sendNow(entry);
    if (!answer) await goOn();
    else if (settle(entry, answer)) await goOn();
  } finally {
    isBusy = false;
  }
}

/* The same answer that waits already keeps its key; another one takes its place. */
function waitingFor(assignment, body) {
  for (const entry of outbox.all().filter((one) => one.assignment === assignment)) {
    if (JSON.stringify({ ...entry.body, seconds: 0 }) === JSON.stringify({ ...body, seconds: 0 })) return entry;
    outbox.remove(entry);
  }
  return null;
}

/* null if the server cannot be reached: the entry waits. */
async function sendNow(entry, method) {
  try {
    return await send(entry, token(), method);
  } catch {
    return null;
  }
}

function token() {
  return document.querySelector("[name=csrfmiddlewaretoken]").value;
}

/* Whether it is saved. What is refused is no longer waiting: it is a draft again, and said to be one. */
function settle(entry, { status, body }) {
  if (status === 200) {
    outbox.remove(entry);
    outbox.dropDraft(entry.assignment);
    lastSaved = { ...entry, revisions: body.revisions };
    if (entry.isNew) nDone += 1;
    return true;
  }
  if (status === 401 || status === 403) {
    const link = element("a", "Sign in", { href: "/sign-in/", target: "_blank" });
    trouble("session", "You are signed out. Your answers are kept in this browser. ", link, " in a new tab, and they are sent.");
    return false;
  }
  outbox.remove(entry);
  outbox.keepDraft(entry.assignment, entry.body);
  const isHere = form()?.dataset.assignment === entry.assignment;
  if (isHere && body.error === "stale_revision") {
    seeWhatStands(form(), body.errors);
    const now = body.errors.map(({ field, current }) => `${field}: ${inWords(current)}`).join("; ");
    trouble("stale", `${body.detail} Saved now is: ${now}. Your answer is still here; save again to replace that.`);
  } else if (isHere) {
    trouble("refused", body.detail);
  } else {
    const link = element("a", `Open ${entry.item}`, { href: entry.page });
    trouble(`refused-${entry.assignment}`, `${entry.item} was not saved: ${body.detail} Your answer is kept. `, link);
  }
  return false;
}

/* Sends what waits; after signing in again the token is another one. */
async function flush() {
  const waiting = outbox.all();
  if (!waiting.length || isBusy) return;
  isBusy = true;
  try {
    for (const entry of waiting) {
      let answer = await sendNow(entry);
      if (answer?.status === 403 && (await renewToken())) answer = await sendNow(entry);
      if (!answer) break;
      if (settle(entry, answer)) {
        trouble("session");
        showSaved();
        showProgress();
        if (form()?.dataset.assignment === entry.assignment) await goOn();
      }
      if (answer.status === 401 || answer.status === 403) break;
    }
  } finally {
    isBusy = false;
  }
  tellWaiting();
  fill();
}

async function renewToken() {
  const found = await fetched(location.pathname).catch(() => null);
  if (!found) return false;
  const fresh = found.page.querySelector("[name=csrfmiddlewaretoken]").value;
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = fresh;
  return true;
}

async function undoLast() {
  if (!lastSaved || isBusy) return;
  isBusy = true;
  const { undo, revisions, item, page, assignment } = lastSaved;
  const entry = { address: undo, body: { revisions }, key: crypto.randomUUID?.() ?? "", assignment, item };
  try {
    const answer = await sendNow(entry, "POST");
    if (!answer) trouble("undo", "No connection: undo has to wait.");
    else if (answer.status !== 200) trouble("undo", answer.body.detail);
    else {
      lastSaved = null;
      if (!answer.body.revisions.length) nDone = Math.max(0, nDone - 1);
      const here = form();
      if (here && here.dataset.assignment !== assignment) ready.unshift(kept());
      await load(page);
    }
  } finally {
    isBusy = false;
  }
}

/* The page as it stands, to be shown again. */
function kept() {
  const page = document.implementation.createHTMLDocument(document.title);
  page.body.append(page.importNode(main, true));
  return { page, address: location.pathname, id: form().dataset.assignment };
}

async function back() {
  const address = trail.pop() ?? main.querySelector("[data-back]")?.getAttribute("href");
  if (!address) return;
  if (form() && main.querySelector("[data-back], .ask")) ready.unshift(kept());
  await load(address);
}

/* Keys. */

const keysAreOn = () => localStorage.getItem("interrater:keys") !== "off";

function unsure() {
  const marks = [...main.querySelectorAll("fieldset:not(:disabled) [data-cannot-tell]")];
  for (const mark of marks) mark.checked = true;
  marks[0]?.closest("fieldset").querySelector(".reason input").focus();
  keepDraft();
}

function toggle(id) {
  const place = document.getElementById(id);
  place.open = !place.open;
  place.querySelector("summary").focus();
}

const KEYS = {
  s: unsure,
  n: () => form().elements.note.focus(),
  g: () => toggle("guidelines"),
  "?": () => toggle("keys"),
  u: undoLast,
  ArrowLeft: back,
  Backspace: back,
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !form()) return;
  const { target, key } = event;
  if (target.matches(TEXT)) {
    if (key === "Escape") target.blur();
    return;
  }
  if (key === "Enter") {
    if (target.matches("a, button, summary")) return;
    event.preventDefault();
    save();
    return;
  }
  if (!keysAreOn() || (key === "ArrowLeft" && target.matches("[type=radio]"))) return;
  const input = main.querySelector(`fieldset:not(:disabled) [data-key="${CSS.escape(key.toLowerCase())}"]`);
  if (input) {
    event.preventDefault();
    input.focus();
    input.click();
  } else if (KEYS[key]) {
    event.preventDefault();
    KEYS[key]();
  }
}

function keepDraft() {
  if (form()) outbox.keepDraft(form().dataset.assignment, readAnswers(form()));
}

document.addEventListener("keydown", press);
document.addEventListener("visibilitychange", watchTime);
document.addEventListener("input", (event) => {
  if (event.target.closest("[data-keys-off]")) {
    localStorage.setItem("interrater:keys", event.target.checked ? "on" : "off");
  } else if (event.target.closest("#answers")) keepDraft();
});
document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  save();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-unsure]")) unsure();
  else if (event.target.closest("[data-undo-last]")) undoLast();
  else if (event.target.closest("[data-back]")) {
    event.preventDefault();
    back();
  }
});
window.addEventListener("popstate", () => load(location.pathname, { isBack: true }));
window.addEventListener("online", flush);
setInterval(flush, RETRY);

begin();
flush();
fill();
