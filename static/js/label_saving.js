/** Saving, putting off and taking back: kept in this browser first, and sent until the server has answered. */

import { changedInWords, firstFault, inWords, isOlder, readAnswers, readDraft, seeWhatStands, writeAnswers } from "./label_form.js";
import { element, form, isFixed, main, shownId } from "./label_page.js";
import { back, dropReady, goOn, leaveFor, lookAgain, renewEnd, showAgain } from "./label_queue.js";
import { inFlight, isAway, isSignedOut, outbox, PATIENT, sendNow } from "./label_sending.js";
import { countDone, showLast, showProgress, tell, tellHere } from "./label_told.js";

const RETRY = 3000;
const MOST_SELDOM = 30_000;

const { owner, signIn } = form().dataset;
// Tabs tell each other what is saved.
const others = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`interrater:${owner}`);
const done = [];
// What a person waits with, for being signed out.
let stuck = null;
let isBusy = false;
let isFlushing = false;
let wait = RETRY;
let spent = () => 0;

/** seconds: how long the item has been seen so far. */
export function measure(seconds) {
  spent = seconds;
}

export const waitingIds = () => outbox.all().map((entry) => entry.assignment);

/* One thing at a time that a person asks for; what comes while it runs is a double click. */
async function alone(act) {
  if (isBusy) return;
  isBusy = true;
  try {
    await act();
  } finally {
    isBusy = false;
  }
}

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
      if (isSaved && isHere && !isBusy) await alone(goOn);
    }
    if (!outbox.all().length) await renewEnd();
  } finally {
    isFlushing = false;
  }
  tellWaiting();
}

/** From time to time, and more seldom while it is in vain. */
export async function keepFlushing() {
  const before = outbox.all().length;
  if (before) await flush();
  wait = before && outbox.all().length === before ? Math.min(MOST_SELDOM, wait * 1.25) : RETRY;
  setTimeout(keepFlushing, wait);
}

/* What an answer means. */

/* Whether it is done. What is refused waits no longer: it is a draft again, and said to be one. */
async function settle(entry, answer) {
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
  return true;
}

function remember(entry, revisions) {
  const known = done.find((one) => one.entry.key === entry.key);
  if (known) Object.assign(known, { revisions, words: `✓ ${entry.item} saved` });
  else done.push({ entry, revisions, words: `✓ ${entry.item} saved` });
  countDone(entry.isNew && !known ? 1 : 0, known ? 0 : entry.body.seconds);
  showProgress();
  showLast(done.at(-1));
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
    tellHere("stale", `${detail} Saved now is: ${now}. Your answer is still here; save again to replace that.`);
    return;
  }
  if (status === 404) {
    tellHere("refused", "Not saved: this item is not yours any more. Perhaps it was given to somebody else, or its round was withdrawn.");
    return;
  }
  // Perhaps the codebook is another one now: then this item and those ahead ask what is asked today.
  dropReady();
  await showAgain();
  tell("draft");
  tellHere("refused", `Not saved: ${detail}${isFixed() ? "" : " Your answer is kept below, as far as it fits."}`);
}

function tellSignedOut() {
  const link = element("a", "Sign in", { href: signIn, target: "_blank" });
  tell("session", "You are signed out. Your answers are kept in this browser. ", link, " in a new tab, and they are sent.");
}

export function tellWaiting() {
  const n = outbox.all().length;
  if (!n || !isAway()) tell("waiting");
  else tell("waiting", `No connection. ${n} answer${n > 1 ? "s are" : " is"} kept in this browser and sent when it is back.`);
}

/** Answers that were refused while another item was shown, also in an earlier visit. */
export function tellRefused() {
  const here = shownId();
  const lines = outbox.refused().filter((draft) => draft.assignment !== here).flatMap(({ item, page, refusal }) => [
    element("a", item, { href: page, "data-open": "" }), ` was not saved: ${refusal} Your answer is kept. `,
  ]);
  tell("refused-before", ...lines);
}

/* What a person asks for. */

export const save = () => alone(async () => {
  if (isFixed()) return goOn();
  const fault = firstFault(form());
  if (fault) {
    tellHere("missing", fault.sentence);
    (fault.field.querySelector("input") ?? fault.field).focus();
    return;
  }
  const entry = entryOf(form());
  // Known to be away: nobody waits for what cannot come.
  const answer = isAway() && outbox.all().length > 1 ? null : await sendNow(entry);
  if (answer) {
    if (!(await settle(entry, answer))) {
      stuck = isSignedOut(answer) ? entry : null;
      return;
    }
    // In training the reference comes before the next item: the page itself shows it now.
    if (answer.body.reference) await showAgain();
    else await goOn();
  } else {
    if (!done.some((one) => one.entry.key === entry.key)) {
      done.push({ entry, words: `${entry.item} is kept here until the connection is back` });
      countDone(entry.isNew ? 1 : 0, entry.body.seconds);
    }
    await goOn();
  }
  tellWaiting();
});

/* The same answer that waits already keeps its key; another one takes its place. */
function entryOf({ dataset }) {
  const body = { ...readAnswers(form()), seconds: Math.round(spent()) / 1000 };
  const before = outbox.all().filter((one) => one.kind === "save" && one.assignment === dataset.assignment);
  const same = before.find((one) => JSON.stringify({ ...one.body, seconds: 0 }) === JSON.stringify({ ...body, seconds: 0 }));
  if (same) return same;
  for (const entry of before) outbox.remove(entry);
  return outbox.put({
    kind: "save",
    method: "PUT",
    address: dataset.save,
    undo: dataset.undo,
    body,
    assignment: dataset.assignment,
    item: dataset.item,
    page: location.pathname,
    isNew: !before.length && body.revisions.every(({ revision }) => revision === 0),
  });
}

/** Put off: it comes again when nothing else is left. */
export const skip = () => alone(async () => {
  if (isFixed() || !main.querySelector("[data-skip]")) return goOn();
  const { assignment, item, putOff: address } = form().dataset;
  const entry = outbox.put({ kind: "skip", method: "POST", address, body: {}, assignment, item });
  const answer = await sendNow(entry);
  if (answer && !(await settle(entry, answer))) return;
  lookAgain();
  await goOn();
  tellWaiting();
  main.querySelector("[data-saved]")?.replaceChildren(`${item} is put off: it comes again when nothing else is left.`);
});

export const undoLast = () => alone(async () => {
  const last = done.at(-1);
  if (!last) {
    main.querySelector("[data-saved] form")?.requestSubmit();
    return;
  }
  await inFlight(last.entry);
  if (outbox.has(last.entry)) {
    outbox.remove(last.entry);
    outbox.keepDraft(last.entry.assignment, last.entry.body);
  } else if (!(await takeBack(last))) return;
  forget(last.entry.assignment);
  await leaveFor(last.entry.page);
  tellWaiting();
});

/* What stands now is not what was saved here. */
function forget(assignment) {
  done.splice(0, done.length, ...done.filter((one) => one.entry.assignment !== assignment));
}

async function takeBack({ entry, revisions }) {
  const key = crypto.randomUUID?.() ?? `${entry.key.slice(0, -8)}${Date.now().toString(16).slice(-8)}`;
  const answer = await sendNow({ ...entry, key, address: entry.undo, method: "POST", body: { revisions } });
  if (!answer) tellHere("undo", "No connection: this cannot be taken back now.");
  else if (isSignedOut(answer)) tellSignedOut();
  else if (answer.status !== 200) tellHere("undo", answer.body.detail);
  else {
    if (!answer.body.revisions.length) countDone(-1);
    return true;
  }
  return false;
}

export const goBack = () => alone(back);
export const goForward = () => alone(goOn);

/* Drafts. */

export function keepDraft() {
  if (form()) outbox.keepDraft(shownId(), readDraft(form()));
}

/** What was begun here before, over what stands now; if that is another label than it was begun over, it is told. */
export function bringDraft() {
  const draft = outbox.draft(shownId());
  if (!draft || isFixed()) return;
  const now = isOlder(draft.body, form()) ? `Saved meanwhile is: ${inWords(form())}. ` : "";
  writeAnswers(form(), draft.body);
  // Seen now: saving it again is meant to replace what stands. It is no news in the list of refused ones either.
  keepDraft();
  tellHere("draft", `${now}Your answer that was not saved is back. Save it, or change it.`);
}

/** Of what another tab saved. */
export function listen() {
  others?.addEventListener("message", ({ data: assignment }) => {
    dropReady((id) => id === assignment);
    forget(assignment);
    if (stuck?.assignment === assignment && shownId() === assignment) arrive(stuck);
    else if (shownId() === assignment) tellHere("elsewhere", "This item was saved in another tab just now.");
  });
}

/* What could not be sent here was sent from another page, where one has signed in. */
async function arrive({ item }) {
  stuck = null;
  tell("session");
  await alone(goOn);
  main.querySelector("[data-saved]")?.replaceChildren(`✓ ${item} saved`);
}

export const last = () => done.at(-1);
