/** What a rater does: save, skip, and undo. The next item is shown at once; answers are kept in this browser until the
 * server has them.
 */

import { forget, known, last, remember, rememberSkip, renewShown, tellWaiting, whenSavedElsewhere } from "./label_answered.js";
import { flush } from "./label_flushing.js";
import { firstFault, inWords, readAnswers } from "./label_form.js";
import { form, isFixed, main, shownId } from "./label_page.js";
import { back, backTo, dropReady, goOn, showAgain } from "./label_queue.js";
import { outbox, wasTried } from "./label_sending.js";
import { countDone, tell, tellHere } from "./label_messages.js";
import { alone } from "./label_turn.js";

let spent = () => 0;

/** seconds: how long the item has been seen so far. */
export function measure(seconds) {
  spent = seconds;
}

export const save = () => alone(async () => {
  if (isFixed()) return goOn();
  const fault = firstFault(form());
  if (fault) {
    tellHere("missing", fault.sentence);
    (fault.field.querySelector("input, textarea") ?? fault.field).focus();
    return;
  }
  const entry = entryOf(form());
  outbox.dropDraft(entry.assignment);
  remember(entry);
  tellWaiting();
  const sent = flush();
  if ("training" in form().dataset && !(await isSeen(entry, sent))) return;
  await goOn();
});

/** What was missing is there now. */
export function forgetMissing() {
  const shown = main.querySelector('[data-about="missing"]')?.textContent;
  if (shown && firstFault(form())?.sentence !== shown) tell("missing");
}

/* In training the reference comes before the next item: the page itself shows it now. Whether there is none to see. */
async function isSeen(entry, sent) {
  await sent;
  await renewShown();
  if (!outbox.has(entry) && !known(entry)) return false;
  if (known(entry)?.hasReference) await showAgain();
  return !known(entry)?.hasReference;
}

/* The same answer that waits already keeps its key; another one comes after it, or in its place if it was never sent. */
function entryOf({ dataset }) {
  const { assignment } = dataset;
  const body = { ...readAnswers(form()), seconds: Math.round(spent()) / 1000 };
  const own = outbox.all().filter((one) => one.assignment === assignment && one.kind !== "skip" && outbox.isOwn(one));
  const before = own.at(-1);
  if (before?.kind === "save" && saysSame(before.body, body)) return before;
  const isFirst = body.revisions.every(({ revision }) => revision === 0);
  while (own.length && !wasTried(own.at(-1))) {
    const unsent = own.pop();
    body.revisions = unsent.body.revisions ?? body.revisions;
    outbox.remove(unsent);
  }
  return outbox.put({
    kind: "save",
    method: "PUT",
    address: dataset.save,
    undo: dataset.undo,
    body,
    after: own.at(-1)?.key,
    assignment,
    item: dataset.item,
    page: location.pathname,
    words: inWords(form()),
    isNew: before ? before.kind === "undo" && before.isNew : isFirst,
  });
}

const saysSame = (body, other) =>
  JSON.stringify({ ...body, seconds: 0, revisions: 0 }) === JSON.stringify({ ...other, seconds: 0, revisions: 0 });

/** Skip: the item returns at the end. */
export const skip = () => alone(async () => {
  if (isFixed() || !main.querySelector("[data-skip]")) return goOn();
  const { assignment, item, putOff: address } = form().dataset;
  outbox.put({ kind: "skip", method: "POST", address, body: {}, assignment, item });
  rememberSkip({ item });
  tellWaiting();
  flush();
  await goOn();
});

/** The item again, with the answers to be changed, whether they are saved already or still on their way. */
export const undoLast = () => alone(async () => {
  const before = last();
  if (!before) {
    document.getElementById("undo-saved")?.requestSubmit();
    return;
  }
  const { entry, revisions } = before;
  const body = revisions ? { ...entry.body, revisions } : entry.body;
  takeBack(before);
  outbox.keepDraft(entry.assignment, { ...body, note: noteOf(body) }, { isUndone: true });
  forget(entry.assignment);
  countDone(entry.isNew ? -1 : 0);
  await backTo(entry);
  tellWaiting();
  flush();
});

const noteOf = ({ answers }) => answers.find(({ note }) => note)?.note ?? "";

function takeBack({ entry, revisions }) {
  if (outbox.has(entry) && !wasTried(entry)) {
    // It never left this browser.
    outbox.remove(entry);
    return;
  }
  const { undo, assignment, item, page, isNew, key } = entry;
  const about = { kind: "undo", method: "POST", address: undo, assignment, item, page, isNew };
  outbox.put({ ...about, body: { revisions: revisions ?? null }, after: revisions ? undefined : key });
}

export const goBack = () => alone(back);
export const goForward = () => alone(goOn);

/** Of what another tab saved. */
export function listen() {
  whenSavedElsewhere((assignment) => {
    dropReady((id) => id === assignment);
    forget(assignment);
    if (shownId() === assignment) tellHere("elsewhere", "This item was just saved in another tab.");
  });
}
