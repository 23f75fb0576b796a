/** What an answer of the server means for what was sent: saved, refused, or not now. */

import { hear } from "./label_codebook.js";
import { keepDraft, tellRefused } from "./label_drafts.js";
import { changedInWords, seeWhatStands } from "./label_form.js";
import { element, form, isFixed, shownId } from "./label_page.js";
import { dropReady, showAgain } from "./label_queue.js";
import { isAway, isSignedOut, outbox } from "./label_sending.js";
import { countDone, showLast, showProgress, tell, tellHere } from "./label_told.js";

const { owner, signIn } = form().dataset;
// Tabs tell each other what is saved.
const others = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`interrater:${owner}`);
const done = [];

/** What was saved last, or is kept until it can be. */
export const last = () => done.at(-1);

/** What stands now is not what was saved here. */
export function forget(assignment) {
  done.splice(0, done.length, ...done.filter((one) => one.entry.assignment !== assignment));
}

/** hear: what to do when another tab has saved an assignment. */
export function whenSavedElsewhere(hear) {
  others?.addEventListener("message", ({ data: assignment }) => hear(assignment));
}

/** Whether it is done. What is refused waits no longer: it is a draft again, and said to be one. */
export async function settle(entry, answer) {
  const { status, body } = answer;
  if (isSignedOut(answer)) {
    tellSignedOut();
    return false;
  }
  tell("session");
  // Another tab was first, or it was settled while this one waited.
  const isNews = outbox.has(entry);
  outbox.remove(entry);
  if (entry.kind === "skip") return true;
  if (status !== 200) {
    await refuse(entry, answer);
    return false;
  }
  outbox.dropDraft(entry.assignment);
  others?.postMessage(entry.assignment);
  if (isNews) remember(entry, body.revisions);
  hear(body.codebook_version);
  return true;
}

function remember(entry, revisions) {
  const isNew = note(entry, { revisions, words: `✓ ${entry.item} saved` });
  countDone(entry.isNew && isNew ? 1 : 0, isNew ? entry.body.seconds : 0);
  showProgress();
  showLast(last());
}

/** It could not be sent yet: it is done all the same, for the person who did it. */
export function rememberKept(entry) {
  if (note(entry, { words: `${entry.item} will be saved when the connection is back` })) {
    countDone(entry.isNew ? 1 : 0, entry.body.seconds);
  }
}

/* Whether it was not known before. */
function note(entry, about) {
  const known = done.find((one) => one.entry.key === entry.key);
  if (known) Object.assign(known, about);
  else done.push({ entry, ...about });
  return !known;
}

async function refuse(entry, { status, body: { error, detail, errors } }) {
  const { assignment, item, page } = entry;
  if (shownId() !== assignment) {
    outbox.keepDraft(assignment, entry.body, { item, page, refusal: detail });
    tellRefused();
    return;
  }
  outbox.keepDraft(assignment, entry.body);
  if (error === "stale_revision") {
    seeWhatStands(form(), errors);
    keepDraft();
    const now = changedInWords(form(), errors);
    tellHere("stale", `${detail} Currently saved: ${now}. Your answer is still on this page; save again to replace it.`);
    return;
  }
  if (status === 404) {
    tellHere("refused", "Not saved: this item is no longer assigned to you. It may have been reassigned or its round withdrawn.");
    return;
  }
  // Perhaps the codebook is another one now: then this item and those ahead ask what is asked today.
  dropReady();
  await showAgain();
  tell("draft");
  tellHere("refused", `Not saved: ${detail}${isFixed() ? "" : " Your answer is kept below, as far as possible."}`);
}

export function tellSignedOut() {
  const link = element("a", "Sign in", { href: signIn, target: "_blank" });
  tell("session", "You are signed out. Your answers are kept in this browser. ", link, " in a new tab to save them.");
}

export function tellWaiting() {
  const n = outbox.all().length;
  if (!n || !isAway()) tell("waiting");
  else tell("waiting", `No connection. ${n} answer${n > 1 ? "s are" : " is"} kept in this browser and will be saved when you are back online.`);
}
