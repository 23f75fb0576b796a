/** Every key of the labeling page. */

import { closeKeys, toggle } from "./aside.js";
import { isUnread } from "./label_codebook.js";
import { keepDraft } from "./label_drafts.js";
import { confidenceFor, hasAnswer, keepApart, showAsked } from "./label_form.js";
import { form, isFixed, main } from "./label_page.js";
import { goBackABit, goOnABit, playOrPause, players } from "./label_players.js";
import { beAtWork, isUnderWay } from "./label_queue.js";
import { goBack, goForward, save, skip, undoLast } from "./label_saving.js";

const TEXT = "textarea, select, input:not([type=radio], [type=checkbox])";
const LIVELY = "[data-own-keys]";
// What a player does by itself while it has the focus; every other key is the page's.
const OF_PLAYER = new Set([" ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);
const KEYS_ON = "interrater:kept-keys";
const AT_ONCE = `interrater:at-once:${form().dataset.next}`;
// Where the browser keeps nothing, a choice is for this visit to the page only.
const choices = new Map();

function choice(name) {
  try {
    return localStorage.getItem(name) ?? choices.get(name);
  } catch {
    return choices.get(name);
  }
}

function choose(name, isOn) {
  choices.set(name, isOn ? "on" : "off");
  try {
    localStorage.setItem(name, choices.get(name));
  } catch {
    // It is known as long as the page is open.
  }
}

export const keysAreOn = () => choice(KEYS_ON) !== "off";
export const chooseKeys = (isOn) => choose(KEYS_ON, isOn);

/** Whether the one answer that is asked for is saved as it is chosen: as the lead wants it, else as the rater does, else
 * where there are two.
 */
export function savesAtOnce() {
  const { atOnce } = form()?.dataset ?? {};
  return atOnce !== undefined && !isFixed() && (atOnce === "always" || (choice(AT_ONCE) ?? atOnce) === "on");
}

export const chooseAtOnce = (isOn) => choose(AT_ONCE, isOn);

/** The one answer was chosen, by key or by pointing at it. */
export function chosenAtOnce() {
  if (savesAtOnce() && !isUnread() && !isUnderWay()) save();
}

/** "Cannot tell" for what has no answer yet; if all have one, for all. */
export function cannotTell() {
  const fields = [...main.querySelectorAll("fieldset:not(:disabled, [hidden])")].filter((one) => one.querySelector("[data-cannot-tell]"));
  const open = fields.filter((field) => !hasAnswer(field));
  const meant = open.length ? open : fields;
  for (const field of meant) {
    const unsure = field.querySelector("[data-cannot-tell]");
    unsure.checked = true;
    keepApart(unsure);
  }
  showAsked(form());
  meant[0]?.querySelector(".reason input").focus();
  keepDraft();
  beAtWork();
}

function flag() {
  form().elements.unclear.click();
}

const KEYS = {
  s: cannotTell,
  n: () => form().elements.note.focus(),
  f: flag,
  g: () => toggle("guidelines"),
  "?": () => toggle("keys"),
  u: undoLast,
  x: skip,
  ".": playOrPause,
  ",": goBackABit,
  ";": goOnABit,
  ArrowLeft: goBack,
  Backspace: goBack,
};
// Where there is no form, as on the page with the reference.
const ALWAYS = new Set(["ArrowLeft", "Backspace"]);

export function press(event) {
  const { target, key } = event;
  if (event.isComposing || event.altKey || isUnread() || isUnderWay()) return;
  if (!main.querySelector("#answers, [data-reference], [data-nothing-left]")) return;
  if (key === "Enter" && (event.ctrlKey || event.metaKey || !target.matches(TEXT))) return enter(event);
  if (event.ctrlKey || event.metaKey) return;
  if (keysAreOn() && chooseConfidence(event)) return;
  if (target.matches(TEXT)) {
    if (key === "Escape") target.blur();
  } else if (key === "Escape") {
    closeKeys();
  } else if (keysAreOn() && !target.closest(LIVELY) && !(target.matches(players) && OF_PLAYER.has(key))) {
    single(event);
  }
}

/* A key held down saves one item, not one after the other. */
function enter(event) {
  if (event.repeat || event.target.matches("a, button, summary, audio, video")) return;
  event.preventDefault();
  if (form()) save();
  else if (!main.querySelector("[data-nothing-left]")) goForward();
}

/* Shift and a digit, or wherever the keys of the digits write none: so it is no key of an answer on any keyboard, and
 * never part of a number.
 */
function chooseConfidence(event) {
  const { target, key, code, repeat } = event;
  const step = /^Digit([1-4])$/.exec(code)?.[1];
  if (!step || /^[a-z\d]$/i.test(key) || isFixed() || target.matches("textarea, .reason input") || target.closest(LIVELY)) return false;
  const input = confidenceFor(form(), target)?.querySelector(`[data-step="${step}"]:not(:disabled)`);
  if (!input) return false;
  event.preventDefault();
  if (!repeat) {
    input.focus();
    input.click();
  }
  return true;
}

/* Where digits are no answers, they are the beginning of a number. */
function numberOfDigits() {
  if (main.querySelector('[data-key="1"]')) return null;
  return main.querySelector("fieldset:not(:disabled, [hidden]) .number input");
}

function single(event) {
  const { target, key } = event;
  // Arrows go through the answers of a question.
  if (key === "ArrowLeft" && target.matches("[type=radio]")) return;
  const input = main.querySelector(`fieldset:not(:disabled, [hidden]) [data-key="${CSS.escape(key.toLowerCase())}"]`);
  if (input) {
    event.preventDefault();
    // A key that is held down answers one item, not one after the other.
    if (event.repeat && savesAtOnce()) return;
    input.focus();
    if (input.type === "text") input.select();
    else if (!input.matches(TEXT)) input.click();
    if (input.matches("[data-category]")) chosenAtOnce();
  } else if (/^[\d-]$/.test(key) && numberOfDigits()) {
    // It is typed there.
    numberOfDigits().focus();
    numberOfDigits().select();
  } else if (KEYS[key] && !event.repeat && (form() || ALWAYS.has(key))) {
    event.preventDefault();
    KEYS[key]();
  }
}
