/** What was begun and not saved, kept in this browser; and what the server refused, which is a draft again. */

import { inWords, isOlder, readDraft, writeAnswers } from "./label_form.js";
import { element, form, isFixed, shownId } from "./label_page.js";
import { outbox } from "./label_sending.js";
import { tell, tellHere } from "./label_told.js";

export function keepDraft() {
  if (form()) outbox.keepDraft(shownId(), readDraft(form()));
}

/** What was begun here before, over what stands now; if that is another label than it was begun over, it is told. */
export function bringDraft() {
  const draft = outbox.draft(shownId());
  if (!draft || isFixed()) return;
  const now = isOlder(draft.body, form()) ? `Saved in the meantime: ${inWords(form())}. ` : "";
  writeAnswers(form(), draft.body);
  // Seen now: saving it again is meant to replace what stands. It is no news in the list of refused ones either.
  keepDraft();
  tellHere("draft", `${now}Restored your unsaved answer. Save it or change it.`);
}

/** Answers that were refused while another item was shown, also in an earlier visit. */
export function tellRefused() {
  const here = shownId();
  const lines = outbox.refused().filter((draft) => draft.assignment !== here).flatMap(({ item, page, refusal }) => [
    element("a", item, { href: page, "data-open": "" }), ` was not saved: ${refusal} Your answer is kept. `,
  ]);
  tell("refused-before", ...lines);
}
