/** What waits in this browser, sent from time to time until the server has answered. */

import { settle, tellSignedOut, tellWaiting } from "./label_answered.js";
import { keepDraft } from "./label_drafts.js";
import { hasBegun, says } from "./label_form.js";
import { form, shownId } from "./label_page.js";
import { goOn, renewEnd } from "./label_queue.js";
import { inFlight, isSignedOut, outbox, PATIENT, sendNow } from "./label_sending.js";
import { alone, isBusy } from "./label_turn.js";

const SOON = 200;
const RETRY = 3000;
const MOST_SELDOM = 30_000;

let isFlushing = false;
let wait = RETRY;

export const waitingIds = () => outbox.all().map((entry) => entry.assignment);

/** Sends what waits; gives up for now at the first one that cannot be sent. */
export async function flush() {
  const waiting = outbox.all();
  if (isFlushing || !waiting.length) return;
  isFlushing = true;
  try {
    for (const entry of waiting) {
      if (inFlight(entry)) continue;
      const answer = await sendNow(entry, PATIENT);
      if (!answer || isSignedOut(answer)) {
        if (answer) tellSignedOut();
        break;
      }
      const isHere = shownId() === entry.assignment;
      const isSaved = await settle(entry, answer);
      if (isSaved && isHere && !isBusy()) await leave(entry);
    }
    if (!outbox.all().length) await renewEnd();
  } finally {
    isFlushing = false;
  }
  tellWaiting();
}

/* Another answer may stand here by now, or another tab may have given this one: then there is more to save. */
async function leave({ kind, body }) {
  if (kind === "skip" || says(form(), body)) await alone(goOn);
  else if (hasBegun(form())) keepDraft();
}

/** From time to time, soon again while some arrive, and more seldom while it is in vain. */
export async function keepFlushing() {
  const before = outbox.all().length;
  if (before) await flush();
  wait = pause(before, outbox.all().length);
  setTimeout(keepFlushing, wait);
}

function pause(before, left) {
  if (!before || !left) return RETRY;
  return left < before ? SOON : Math.min(MOST_SELDOM, wait * 1.25);
}
