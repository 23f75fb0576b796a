/** What waits in this browser, sent at once and from time to time, until the server has answered. */

import { bringBack, renewShown, settle, tellSignedOut, tellWaiting } from "./label_answered.js";
import { keepDraft } from "./label_drafts.js";
import { hasBegun, says } from "./label_form.js";
import { form, shownId } from "./label_page.js";
import { goOn, isStuck, lookForConnection, renewEnd } from "./label_queue.js";
import { isSignedOut, outbox, sendNow, troubleNow } from "./label_sending.js";
import { behind } from "./label_turn.js";

const SOON = 200;
const RETRY = 3000;
const MOST_SELDOM = 30_000;
// An answer that the server fails at does not hold up the others; two in a row, and it is the server.
const MOST_FAILED = 2;

let running = null;
let wait = RETRY;

export const waitingIds = () => outbox.all().map((entry) => entry.assignment);

/** Sends what waits, in the order in which it was made; gives up for now if responses fail to arrive. */
export function flush() {
  running ??= sendAll().finally(() => {
    running = null;
  }).then(afterwards);
  return running;
}

async function sendAll() {
  const found = { isGivenUp: false, left: null, hasSent: false };
  const failed = new Set();
  for (let entry = outbox.next(); entry; entry = outbox.next(failed)) {
    const answer = await sendNow(entry);
    if (!answer) {
      failed.add(entry.assignment);
      found.isGivenUp = troubleNow() === "away" || failed.size >= MOST_FAILED;
    } else if (isSignedOut(answer)) {
      tellSignedOut();
      found.isGivenUp = true;
    } else {
      found.hasSent = true;
      const isHere = shownId() === entry.assignment;
      // A rater who went back to it on purpose stays there.
      if (settle(entry, answer) && isHere && (isStuck() || !outbox.isOwn(entry))) found.left = entry;
    }
    tellWaiting();
    if (found.isGivenUp) break;
  }
  await bringBack();
  return { ...found, isGivenUp: found.isGivenUp || failed.size > 0 };
}

/* Not part of what a person waits for: it may ask for all that is sent itself. */
async function afterwards({ isGivenUp, left, hasSent }) {
  behind(async () => {
    await renewShown();
    if (left && shownId() === left.assignment) await leave(left);
    else if (hasSent && !outbox.all().length) await renewEnd();
  });
  // Answered while the last request was on its way.
  if (!isGivenUp && outbox.all().length) flush();
}

/* The answer here may have changed since, or come from another tab: then there is more to save. */
async function leave({ kind, body }) {
  if (kind === "skip" || says(form(), body)) await goOn();
  else if (hasBegun(form())) keepDraft();
}

/** From time to time, soon again while some arrive, and more seldom while it is in vain. */
export async function keepFlushing() {
  const before = outbox.all().length;
  if (before) await flush();
  // Another tab may have sent what waited.
  else tellWaiting();
  await lookForConnection();
  wait = pause(before, outbox.all().length);
  setTimeout(keepFlushing, wait);
}

function pause(before, left) {
  if (!before || !left) return RETRY;
  return left < before ? SOON : Math.min(MOST_SELDOM, wait * 1.25);
}
