/** The labeling page, faster: keys, the next items fetched beforehand, and answers kept until they are saved.
 *
 * The page works without this; here the same form is sent to the API, and items are swapped instead of loaded.
 */

import { showNextOpen, watchBelow } from "./below.js";
import { tellWaiting } from "./label_answered.js";
import { tellChanges, tellMissed, understood } from "./label_codebook.js";
import { bringDraft, discard, keepDraft, tellRefused } from "./label_drafts.js";
import { hasAnswer, keepApart, showAsked } from "./label_form.js";
import { flush, keepFlushing, waitingIds } from "./label_flushing.js";
import { cannotTell, chooseAtOnce, chooseKeys, chosenAtOnce, keysAreOn, press, savesAtOnce } from "./label_keys.js";
import { form, main } from "./label_page.js";
import { listenToPlayers } from "./label_players.js";
import { isMeantForTheLast, listenToPointer } from "./label_pointer.js";
import { beAtWork, canGoBack, fill, follow, leaveFor, lookForConnection, showAgain, start } from "./label_queue.js";
import { forgetMissing, goBack, goForward, listen, measure, save, skip, undoLast } from "./label_saving.js";
import { outbox } from "./label_sending.js";
import { forgetHere } from "./label_messages.js";
import { inTurn } from "./label_turn.js";

let seen = 0;
let since = null;

/* Time counts only while the page is seen. */
function watchTime() {
  if (since !== null) seen += performance.now() - since;
  since = document.visibilityState === "visible" ? performance.now() : null;
  return seen;
}

function begin() {
  seen = 0;
  since = null;
  watchTime();
  forgetHere();
  tellWaiting();
  tellRefused();
  if (!form()) return;
  for (const hidden of main.querySelectorAll("[data-unsure], [data-keys-off], [data-at-once-choice]")) hidden.hidden = false;
  main.querySelector("[data-keys-off] input").checked = keysAreOn();
  for (const box of main.querySelectorAll("[data-at-once-choice] input")) box.checked = savesAtOnce();
  showAsked(form());
  bringDraft();
  tellChanges();
}

const CLICKS = {
  "[data-understood]": understood,
  "[data-unsure]": cannotTell,
  "[data-undo-last]": undoLast,
  "[data-back]": goBack,
  "[data-go-on]": goForward,
  "[data-skip]": skip,
  "[data-discard]": discard,
  "[data-open]": (link) => inTurn(() => leaveFor(link.pathname)),
};

function click(event) {
  if (isMeantForTheLast(event)) return event.preventDefault();
  const found = Object.keys(CLICKS).find((selector) => event.target.closest(selector));
  if (!found || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const clicked = event.target.closest(found);
  // Before the first item that was done lies the page of the project.
  if (clicked.dataset.back === "out" && !canGoBack()) return;
  event.preventDefault();
  CLICKS[found](clicked);
}

function input(event) {
  if (event.target.closest("[data-keys-off]")) chooseKeys(event.target.checked);
  else if (event.target.closest("[data-at-once-choice]")) chooseAtOnce(event.target.checked);
  else if (event.target.closest("#answers")) {
    keepApart(event.target);
    showAsked(form());
    moveOn(event.target);
    forgetMissing();
    keepDraft();
    beAtWork();
  }
}

/* One answer is chosen, or none fits, and the question is answered: the next one comes into sight. */
function moveOn(input) {
  const field = input.closest("fieldset[data-question]");
  if (input.matches("[type=radio], [data-none]:checked") && field) showNextOpen(field, hasAnswer);
}

function submit(event) {
  if (event.target !== form()) return;
  event.preventDefault();
  save();
}

document.addEventListener("keydown", press);
document.addEventListener("click", click);
document.addEventListener("input", input);
document.addEventListener("submit", submit);
document.addEventListener("visibilitychange", () => {
  watchTime();
  if (document.visibilityState === "visible") flush();
});
window.addEventListener("beforeunload", (event) => {
  // Only then: everything else is sent from the next page.
  if (outbox.isVolatile()) event.preventDefault();
});
window.addEventListener("popstate", follow);
window.addEventListener("online", () => {
  flush();
  lookForConnection();
});

measure(watchTime);
start({ begin, held: waitingIds, send: flush });
begin();
tellMissed(showAgain);
watchBelow();
listenToPlayers();
listenToPointer(chosenAtOnce);
listen();
keepFlushing();
fill();
