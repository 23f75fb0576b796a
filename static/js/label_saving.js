/** What a person asks for: saving, putting off and taking back, kept in this browser before it is sent. */

import { forget, last, rememberKept, settle, tellSignedOut, tellWaiting, whenSavedElsewhere } from "./label_answered.js";
import { firstFault, readAnswers } from "./label_form.js";
import { form, isFixed, main, shownId } from "./label_page.js";
import { back, dropReady, goOn, leaveFor, lookAgain, showAgain } from "./label_queue.js";
import { inFlight, isAway, isSignedOut, outbox, sendNow } from "./label_sending.js";
import { countDone, tell, tellHere } from "./label_told.js";
import { alone } from "./label_turn.js";

// What a person waits with, for being signed out.
let stuck = null;
let spent = () => 0;
// By their keys: what was put on its way here. What another tab said is not taken back unseen by what is said here.
const own = new Set();

/** seconds: how long the item has been seen so far. */
export function measure(seconds) {
  spent = seconds;
}

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
    rememberKept(entry);
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
  for (const entry of before.filter(({ key }) => own.has(key))) outbox.remove(entry);
  const made = outbox.put({
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
  own.add(made.key);
  return made;
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
  main.querySelector("[data-saved]")?.replaceChildren(`${item} skipped; it will return at the end.`);
});

export const undoLast = () => alone(async () => {
  const before = last();
  if (!before) {
    document.getElementById("undo-saved")?.requestSubmit();
    return;
  }
  const { entry } = before;
  await inFlight(entry);
  if (outbox.has(entry)) {
    outbox.remove(entry);
    outbox.keepDraft(entry.assignment, entry.body);
  } else if (!(await takeBack(before))) return;
  forget(entry.assignment);
  await leaveFor(entry.page);
  tellWaiting();
});

async function takeBack({ entry, revisions }) {
  const key = crypto.randomUUID?.() ?? `${entry.key.slice(0, -8)}${Date.now().toString(16).slice(-8)}`;
  const answer = await sendNow({ ...entry, key, address: entry.undo, method: "POST", body: { revisions } });
  if (!answer) tellHere("undo", "No connection. This can’t be undone right now.");
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

/** Of what another tab saved. */
export function listen() {
  whenSavedElsewhere((assignment) => {
    dropReady((id) => id === assignment);
    forget(assignment);
    if (stuck?.assignment === assignment && shownId() === assignment) arrive(stuck);
    else if (shownId() === assignment) tellHere("elsewhere", "This item was just saved in another tab.");
  });
}

/* What could not be sent here was sent from another page, where one has signed in. */
async function arrive({ item }) {
  stuck = null;
  tell("session");
  await alone(goOn);
  main.querySelector("[data-saved]")?.replaceChildren(`✓ ${item} saved`);
}
