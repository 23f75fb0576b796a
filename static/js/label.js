/** The labeling page, faster: keys, the next items fetched beforehand, and answers kept until they are saved.
 *
 * The page works without this; here the same form is sent to the API, and items are swapped instead of loaded.
 */

import { last, tellWaiting } from "./label_answered.js";
import { tellChanges, tellMissed, understood } from "./label_codebook.js";
import { bringDraft, keepDraft, tellRefused } from "./label_drafts.js";
import { flush, keepFlushing, waitingIds } from "./label_flushing.js";
import { cannotTell, chooseKeys, keysAreOn, press } from "./label_keys.js";
import { form, main } from "./label_page.js";
import { listenToPlayers } from "./label_players.js";
import { beAtWork, fill, follow, showAgain, start } from "./label_queue.js";
import { goBack, goForward, listen, measure, save, skip, undoLast } from "./label_saving.js";
import { forgetHere, showLast, showProgress } from "./label_told.js";

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
  showProgress();
  if (!form()) return;
  for (const hidden of main.querySelectorAll("[data-unsure], [data-keys-off]")) hidden.hidden = false;
  main.querySelector("[data-keys-off] input").checked = keysAreOn();
  showLast(last());
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
};

function click(event) {
  const found = Object.keys(CLICKS).find((selector) => event.target.closest(selector));
  if (!found || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  CLICKS[found]();
}

function input(event) {
  if (event.target.closest("[data-keys-off]")) chooseKeys(event.target.checked);
  else if (event.target.closest("#answers")) {
    keepDraft();
    beAtWork();
  }
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
window.addEventListener("popstate", follow);
window.addEventListener("online", flush);

measure(watchTime);
start({ begin, held: waitingIds });
begin();
tellMissed(showAgain);
listenToPlayers();
listen();
keepFlushing();
fill();
