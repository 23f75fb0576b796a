/** The last answer given here, and what the server's response means for it: saved, refused, or try later. */

import { hear } from "./label_codebook.js";
import { keepDraft, tellRefused } from "./label_drafts.js";
import { changedInWords, seeWhatStands } from "./label_form.js";
import { element, form, isFixed, main, shownId } from "./label_page.js";
import { comeNext, dropReady, fill, isUnderWay, lookAgain, seeRevisions, showAgain } from "./label_queue.js";
import { outbox, troubleNow } from "./label_sending.js";
import { countDone, showLast, showProgress, tell, tellHere } from "./label_messages.js";

const { owner, signIn } = form().dataset;
// Tabs tell each other what is saved.
const others = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`interrater:${owner}`);
// Of what cannot be answered any more: the same holds for all that was fetched beforehand.
const LOST = new Set(["closed", "not_found"]);
const LATER = {
  away: "when the connection is back",
  slow: "as soon as the server answers",
  busy: "as soon as the server answers",
  session: "once you are signed in again",
};
let done = [];
let skipped = null;
let isStatusOurs = false;
// What is to be done about refusals, once for all that was sent.
const became = { isLost: false, next: null, isToBeSeen: false, sentence: "", about: null };

/** What was saved last, or is kept until it is: {entry}, once it is saved with its revisions, and whether a reference came. */
export const last = () => done.at(-1);
export const known = (entry) => done.find((one) => one.entry.key === entry.key);

/** It is on its way: it is done, for the person who did it. */
export function remember(entry) {
  skipped = null;
  if (known(entry)) return;
  done.push({ entry });
  countDone(entry.isNew ? 1 : 0, entry.body.seconds);
}

export function rememberSkip({ item }) {
  skipped = item;
  isStatusOurs = true;
}

/** The current label is not the one that was saved here. */
export function forget(assignment) {
  done = done.filter((one) => one.entry.assignment !== assignment);
}

/** hear: what to do when another tab has saved an assignment. */
export function whenSavedElsewhere(act) {
  others?.addEventListener("message", ({ data: { assignment, key, revisions } }) => {
    const own = done.find((one) => one.entry.key === key);
    if (own) arrived(own.entry, revisions);
    else act(assignment);
    tellWaiting();
  });
}

function arrived(entry, revisions, hasReference = false) {
  Object.assign(known(entry) ?? {}, { revisions, hasReference });
  // Nothing overwrites an answer from another page without being seen.
  if (outbox.isOwn(entry)) seeRevisions(entry.assignment, revisions);
}

/** Whether it is done. A refused answer no longer waits: it becomes a draft again, and is shown as one. */
export function settle(entry, { status, body }) {
  tell("session");
  if (status !== 200) {
    refuse(entry, status === 404 ? "not_found" : body.error, body);
    return false;
  }
  // It is taken back already, and was never done, for the person who did it.
  const isTakenBack = outbox.all().some((one) => one.kind === "undo" && one.after === entry.key);
  outbox.answered(entry, body.revisions ?? null);
  if (entry.kind === "skip") {
    // It is there again, at the end.
    lookAgain();
    fill();
    return true;
  }
  others?.postMessage({ assignment: entry.assignment, key: entry.key, revisions: body.revisions });
  if (entry.kind === "save") {
    outbox.dropDraftOf(entry);
    // This also reports entries that have waited since an earlier visit.
    if (!isTakenBack) remember(entry);
  }
  arrived(entry, body.revisions, !!body.reference);
  // In training, what is to be seen before going on is still to be seen.
  if (body.reference && shownId() !== entry.assignment) became.next ??= entry.page;
  hear(body.codebook_version);
  // Prefetched items may belong to the paused round, so ask for the next ones again.
  if (body.is_paused) dropReady();
  return true;
}

function refuse(entry, error, { detail, errors }) {
  const { assignment, item, kind, page } = entry;
  const isSuperseded = outbox.all().some((one) => one.after === entry.key);
  outbox.answered(entry, null);
  if (kind === "undo") tell("undo", `${item} is still saved as it was: ${detail}`);
  if (LOST.has(error)) became.isLost = true;
  if (kind !== "save" || isSuperseded) return;
  countDone(entry.isNew ? -1 : 0);
  forget(assignment);
  // A message on an item that is about to be replaced would disappear with it.
  if (shownId() === assignment && !isFixed() && !isUnderWay()) giveBackHere(entry, error, detail, errors);
  else {
    if (!LOST.has(error)) became.next ??= page;
    giveBack(entry, error, detail, errors);
  }
}

/* While another item is shown: the answers are a draft again, and a message says what happened to them. */
function giveBack({ assignment, item, page, words, body }, error, detail, errors) {
  const now = error === "stale_revision" && form() ? ` Currently saved: ${changedInWords(form(), errors)}.` : "";
  const refusal = error === "not_found" ? "It is no longer assigned to you." : `${detail}${now}`;
  outbox.keepDraft(assignment, outbox.draft(assignment)?.body ?? body, { item, page, refusal, error, words });
  tellRefused();
}

function giveBackHere({ assignment, body }, error, detail, errors) {
  outbox.keepDraft(assignment, outbox.draft(assignment)?.body ?? body);
  if (error === "stale_revision") {
    seeWhatStands(form(), errors);
    keepDraft();
    const now = changedInWords(form(), errors);
    tellHere("stale", `${detail} Currently saved: ${now}. Your answer is still on this page; save again to replace it.`);
  } else if (error === "not_found") {
    tellHere("refused", "Not saved: this item is no longer assigned to you. It may have been reassigned or its round withdrawn.");
  } else {
    Object.assign(became, { sentence: `Not saved: ${detail}`, about: assignment });
  }
}

/** What was refused comes next, as it is asked now. What lies ahead may have been lost with it. */
export async function bringBack() {
  const { isLost, next } = became;
  Object.assign(became, { next: null, isLost: false, isToBeSeen: became.isToBeSeen || isLost });
  if (isLost) dropReady();
  if (next) await comeNext(next);
  else if (isLost) fill();
}

/** The item that is shown, in its state after the refusal. */
export async function renewShown() {
  const { isToBeSeen, about } = became;
  const sentence = about === shownId() ? became.sentence : "";
  Object.assign(became, { isToBeSeen: false, sentence: "", about: null });
  if ((!isToBeSeen && !sentence) || !form()) return;
  // Perhaps the codebook is another one now: then this item and those ahead ask what is asked today.
  if (sentence) dropReady();
  await showAgain();
  if (sentence) {
    tell("draft");
    tellHere("refused", `${sentence}${isFixed() ? "" : " Your answer is kept below, as far as possible."}`);
  }
  fill();
}

export function tellSignedOut() {
  const link = element("a", "Sign in", { href: signIn, target: "_blank" });
  tell("session", "You are signed out. Your answers are kept in this browser. ", link, " in a new tab to save them.");
}

const inTheWay = () => troubleNow() ?? (main.querySelector('[data-about="session"]') ? "session" : null);

/** The state of what waits: next to the button, and as a warning if it waits for long. */
export function tellWaiting() {
  const waiting = outbox.all();
  if (!waiting.length) tell("session");
  const isWaiting = waiting.length && troubleNow();
  if (isWaiting) tell("waiting", kept(waiting.length, troubleNow()));
  else tell("waiting");
  tellLast(waiting);
  showProgress(inTheWay() ? waiting.filter(({ kind }) => kind === "save").length : 0);
}

function kept(n, trouble) {
  const are = `${n} answer${n > 1 ? "s are" : " is"} kept in this browser and will be saved`;
  if (trouble === "away") return `No connection. ${are} when you are back online.`;
  if (trouble === "slow") return `The server is slow to respond. ${are} as soon as it responds. You can keep going.`;
  return `The server can’t save right now. ${are} as soon as it can. You can keep going.`;
}

function tellLast(waiting) {
  const saves = waiting.filter(({ kind }) => kind !== "skip");
  if (skipped) showLast(`${skipped} skipped; it will return at the end.`);
  else if (last()) showLast(`${inWords(last(), saves)} · `, { isUndoable: true });
  else if (isStatusOurs) showLast(saves.length ? "Saving…" : "");
  isStatusOurs ||= !!last();
}

function inWords({ entry: { item }, revisions }, saves) {
  if (revisions) return `✓ ${item} saved`;
  if (inTheWay()) return `${item} will be saved ${LATER[inTheWay()]}`;
  return saves.length > 1 ? `Saving ${saves.length} answers, ${item} last…` : `Saving ${item}…`;
}
