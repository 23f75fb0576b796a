/** What was begun and not saved, kept in this browser; and what the server refused, which is a draft again. */

import { inWords, isOlder, readDraft, writeAnswers } from "./label_form.js";
import { element, form, isFixed, shownId } from "./label_page.js";
import { outbox } from "./label_sending.js";
import { tell, tellHere } from "./label_messages.js";

export function keepDraft() {
  if (!form() || isFixed()) return;
  const isUndone = outbox.draft(shownId())?.isUndone;
  outbox.keepDraft(shownId(), readDraft(form()), { isUndone });
}

/** Restores an unfinished answer over the current label; if the label has changed since, a message says so.
 *
 * What is on its way to the server is no draft, and shown all the same.
 */
export function bringDraft() {
  if (isFixed()) return;
  const draft = outbox.draft(shownId());
  if (!draft) return bringWaiting();
  const now = isOlder(draft.body, form()) ? `Saved in the meantime: ${inWords(form())}. ` : "";
  writeAnswers(form(), draft.body);
  // Seen now: saving again is meant to replace the current label. It is also removed from the list of refused ones.
  outbox.keepDraft(shownId(), readDraft(form()), { isUndone: draft.isUndone });
  const why = draft.refusal ? `Not saved: ${draft.refusal} ` : now;
  if (draft.isUndone) tellHere("draft", `${now}Undone. Change your answer and save it again.`);
  else tellHere("draft", `${why}Restored your unsaved answer. Save it or change it.`);
}

function bringWaiting() {
  const saving = outbox.all().findLast(({ assignment, kind }) => assignment === shownId() && kind === "save");
  if (saving) writeAnswers(form(), saving.body);
}

// What to do about it, where the rater alone can do nothing.
const WAYS = {
  closed: " If it is opened again, you can save it then.",
  not_found: " There is nothing left to do for it.",
  reference_shown: "",
};

/** Answers that were refused while another item was shown, also in an earlier visit. */
export function tellRefused() {
  const here = shownId();
  const found = outbox.refused().filter((draft) => draft.assignment !== here || isFixed());
  tell("refused-before", ...found.sort((a, b) => a.assignment - b.assignment).map(lineOf));
}

function lineOf({ assignment, item, page, refusal, error, words }) {
  const line = element("div", "");
  line.append(element("a", item, { href: page, "data-open": "" }), ` was not saved: ${refusal}`);
  const drop = element("button", "Discard", { type: "button", class: "plain", "data-discard": assignment });
  drop.setAttribute("aria-label", `Discard the answer to ${item}`);
  const answer = words && error in WAYS ? ` Your answer was: ${words}.` : " Your answer is kept.";
  line.append(`${WAYS[error] ?? ""}${answer} `, drop);
  return line;
}

export function discard(button) {
  outbox.dropDraft(button.dataset.discard);
  tellRefused();
}
