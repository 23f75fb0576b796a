/** The form of the labeling page, to and from what the API takes. */

const fieldsOf = (form) => [...form.querySelectorAll("fieldset[data-question]")];
/* The questions that are asked: the value of a hidden one is neither sent nor required. */
const questions = (form) => fieldsOf(form).filter((field) => !field.hidden);
const seenRevisions = (form) => [...form.querySelectorAll("input[data-question]")];

/** Questions that hang on an earlier one are there while it is answered so (projects/codebook/conditions.py).
 *
 * What was typed in one that goes stays in the form, and is there again if it comes back before the answer is saved.
 */
export function showAsked(form) {
  const fields = new Map(fieldsOf(form).map((field) => [field.dataset.question, field]));
  for (const field of fields.values()) {
    const parent = fields.get(field.dataset.askedIf);
    // Where the other question is not on the page, the server has decided that this one is asked.
    if (parent) field.hidden = !isAsked(parent, JSON.parse(field.dataset.askedCategories));
  }
}

function isAsked(parent, categories) {
  if (parent.hidden || parent.querySelector("[data-cannot-tell]:checked")) return false;
  return [...parent.querySelectorAll("[data-category]:checked")].some(({ dataset }) => categories.includes(dataset.category));
}

/** “None of these” goes with nothing else: what was chosen last counts. */
export function keepApart(chosen) {
  const none = chosen.closest("fieldset[data-question]")?.querySelector("[data-none]");
  if (!none || !chosen.checked) return;
  if (chosen === none) {
    for (const other of none.closest("fieldset").querySelectorAll("[data-category], [data-cannot-tell]")) other.checked = false;
  } else if (chosen.matches("[data-category], [data-cannot-tell]")) {
    none.checked = false;
  }
}

export function readAnswers(form) {
  const answers = questions(form).map(readAnswer).filter(Boolean);
  const note = form.elements.note.value;
  // One note per item: it belongs to the first answer.
  if (answers.length && note) answers[0].note = note;
  return {
    answers,
    revisions: seenRevisions(form).map((input) => ({ question: input.dataset.question, revision: Number(input.value) })),
    is_guideline_unclear: form.elements.unclear.checked,
    guidelines_version: Number(form.elements.version.value),
    codebook_version: Number(form.elements.codebook.value),
  };
}

/** What a person has begun to say, also where it cannot be sent yet. */
export function readDraft(form) {
  return { ...readAnswers(form), note: form.elements.note.value };
}

const sureOf = (field) => field.querySelector("[data-confidence] input:checked")?.value;

/** With how sure the rater is, where that is asked; nobody is sure of an answer that they did not give. */
function readAnswer(field) {
  const answer = readValue(field);
  const sure = sureOf(field);
  return answer && !answer.cannot_tell && sure ? { ...answer, confidence: Number(sure) } : answer;
}

function readValue(field) {
  const { question, kind } = field.dataset;
  const text = writtenIn(field);
  if (field.querySelector("[data-cannot-tell]:checked")) {
    // What was written is not dropped in silence: it keeps the form from being sent.
    return { question, cannot_tell: true, reason: field.querySelector(".reason input").value, ...(text && { text }) };
  }
  if (kind === "text") return text ? { question, text } : null;
  const chosen = [...field.querySelectorAll("[data-category]:checked")].map((input) => input.dataset.category);
  if (kind === "multiple") {
    // Choosing nothing is no answer: there is a choice for “none of these”.
    return chosen.length || field.querySelector("[data-none]:checked") ? { question, categories: chosen } : null;
  }
  if (kind === "single") return chosen.length ? { question, category: chosen[0] } : null;
  const number = readNumber(field);
  return number === null ? null : { question, number };
}

/* The answer in words, exactly as it was typed; nothing but space is none. */
function writtenIn(field) {
  const text = field.querySelector("textarea.typed")?.value ?? "";
  return text.trim() && text;
}

/* What is wrong with the text in a field, as a sentence; null for nothing. The rule of projects/codebook/texts.py. */
function textFault(field) {
  const most = Number(field.querySelector("textarea.typed").dataset.most);
  const { cannot_tell: isUnsure, text = "" } = readAnswer(field) ?? {};
  if (isUnsure && text) return `Choose either “Cannot tell” or an answer to “${nameOf(field)}”, not both.`;
  const n = [...text].length;
  if (n <= most) return null;
  return `The answer to “${nameOf(field)}” has ${n.toLocaleString("en")} characters; at most ${most.toLocaleString("en")} are allowed.`;
}

function typed(field) {
  return field.querySelector(".number input")?.value.trim() ?? "";
}

/* The rule of the server (raters/labeling/submitted_answers.py): what may separate thousands is never guessed. */
const THOUSANDS = /^[+-]?([1-9]\d{0,2}(,\d{3})+(\.\d*)?|[1-9]\d{0,2}(\.\d{3})+(,\d*)|[1-9]\d{0,2}(\.\d{3}){2,})(e[+-]?\d{1,3})?$/i;

function thousandsSentence(text) {
  const marks = text.match(/[,.]/g);
  if (marks.join("") === ",") {
    return `“${text}” can mean ${text.replace(",", "")} or ${text.replace(",", ".")}. Enter one of these, without a comma.`;
  }
  const parts = text.split(/[,.]/);
  const last = parts.pop();
  const meant = new Set(marks).size > 1 ? `${parts.join("")}.${last}` : parts.join("") + last;
  return `“${text}” has a thousands separator. Enter it without, as ${meant}.`;
}

function numberFault(text) {
  const written = text.replace("−", "-");
  if (THOUSANDS.test(written)) return thousandsSentence(written);
  return `“${text}” is not a number. Enter a number such as 12 or -0.5.`;
}

function readNumber(field) {
  const written = typed(field).replace("−", "-");
  if (THOUSANDS.test(written)) return null;
  const text = written.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : null;
}

/** The rule of the server (projects/codebook/number_rules.py), so that a rater is warned before the next item is shown. */
function isAllowed(number, { rule, minimum, maximum, whole, step, missing = "" }) {
  if (!rule || missing.split(" ").some((value) => value && Number(value) === number)) return true;
  if (number < Number(minimum ?? -Infinity) || number > Number(maximum ?? Infinity)) return false;
  if (whole !== undefined && !Number.isInteger(number)) return false;
  const steps = step ? (number - Number(minimum ?? 0)) / Number(step) : 0;
  return Math.abs(steps - Math.round(steps)) <= 1e-6;
}

/** What keeps the form from being sent: the field to go to, and a sentence; null if nothing does. */
export function firstFault(form) {
  for (const field of questions(form)) {
    const answer = readAnswer(field);
    if (answer && "number" in answer && !isAllowed(answer.number, field.querySelector(".number input").dataset)) {
      const { rule } = field.querySelector(".number input").dataset;
      return { field, sentence: `The answer to “${nameOf(field)}” must be ${rule}, got ${answer.number}.` };
    }
    const sentence = field.dataset.kind === "text" ? textFault(field) : null;
    if (sentence) return { field, sentence };
    if (answer && lacksConfidence(field, answer)) {
      return { field: field.querySelector("[data-confidence]"), sentence: `Say how sure you are of “${nameOf(field)}”.` };
    }
    if (answer !== null) continue;
    if (typed(field)) return { field, sentence: numberFault(typed(field)) };
    if ("required" in field.dataset) return { field, sentence: `Answer “${nameOf(field)}”.` };
  }
  if (form.elements.note.value && !questions(form).some(readAnswer)) {
    const sentence = "A note needs an answer. Answer a question, or choose “Cannot tell”.";
    return { field: questions(form)[0] ?? form, sentence };
  }
  return null;
}

function lacksConfidence(field, { cannot_tell: isUnsure, confidence }) {
  return !!field.querySelector("[data-confidence][aria-required]") && !isUnsure && confidence === undefined;
}

/** The question that a key for confidence is about: the one that has the focus, else the first that was answered without. */
export function confidenceFor(form, focused) {
  const own = focused.closest("fieldset[data-question]")?.querySelector("[data-confidence]");
  const fields = questions(form).filter((field) => field.querySelector("[data-confidence]"));
  const open = fields.find((field) => hasAnswer(field) && !sureOf(field));
  return own ?? (open ?? (fields.length === 1 ? fields[0] : null))?.querySelector("[data-confidence]") ?? null;
}

export function hasAnswer(field) {
  return readAnswer(field) !== null;
}

export function hasBegun(form) {
  return questions(form).some(hasAnswer) || !!form.elements.note.value;
}

/** Whether the form says what was sent, whatever time it took. */
export function says(form, body) {
  const { answers, is_guideline_unclear } = readAnswers(form);
  return JSON.stringify([answers, is_guideline_unclear]) === JSON.stringify([body.answers, body.is_guideline_unclear]);
}

export function writeAnswers(form, body) {
  const answers = new Map(body.answers.map((answer) => [answer.question, answer]));
  for (const field of fieldsOf(form)) writeAnswer(field, answers.get(field.dataset.question) ?? {});
  form.elements.note.value = body.note ?? body.answers.find((answer) => answer.note)?.note ?? "";
  form.elements.unclear.checked = !!body.is_guideline_unclear;
  showAsked(form);
}

function writeAnswer(field, answer) {
  for (const input of field.querySelectorAll("[data-category]")) {
    const { category } = input.dataset;
    input.checked = answer.category === category || !!answer.categories?.includes(category);
  }
  const none = field.querySelector("[data-none]");
  if (none) none.checked = answer.categories?.length === 0;
  const unsure = field.querySelector("[data-cannot-tell]");
  if (unsure) {
    unsure.checked = !!answer.cannot_tell;
    field.querySelector(".reason input").value = answer.reason ?? "";
  }
  const number = field.querySelector(".number input");
  if (number) number.value = answer.number ?? "";
  const text = field.querySelector("textarea.typed");
  if (text) text.value = answer.text ?? "";
  for (const input of field.querySelectorAll("[data-confidence] input")) {
    input.checked = input.value ? answer.confidence === Number(input.value) : answer.confidence == null;
  }
}

/** Shows the current label if it differs from the one on the page: saving again is then meant to replace it. */
export function seeWhatStands(form, changed) {
  for (const { field, revision } of changed) {
    for (const input of seenRevisions(form)) if (input.dataset.question === field) input.value = revision;
  }
}

/** The current labels; a question that is not among them has none. */
export function writeRevisions(form, revisions) {
  const now = new Map(revisions.map(({ question, revision }) => [question, revision]));
  for (const input of seenRevisions(form)) input.value = now.get(input.dataset.question) ?? 0;
}

/** Whether the labels that the form shows are others than those that a draft was written over. */
export function isOlder(draft, form) {
  const seen = new Map(draft.revisions.map(({ question, revision }) => [question, revision]));
  return seenRevisions(form).some((input) => (seen.get(input.dataset.question) ?? 0) !== Number(input.value));
}

/** The answers that the form shows, in words. */
export function inWords(form) {
  return questions(form)
    .map((field) => worded(nameOf(field), answerInWords(field, readAnswer(field))))
    .join("; ");
}

/** What a label holds by the API, in the words of the page. */
export function changedInWords(form, changed) {
  return changed
    .map(({ field: key, current }) => {
      const field = fieldsOf(form).find((one) => one.dataset.question === key);
      return worded(field ? nameOf(field) : key, answerInWords(field, current));
    })
    .join("; ");
}

function worded(question, answer) {
  return `${question}${question.endsWith("?") ? "" : ":"} ${answer}`;
}

function nameOf(field) {
  return field.querySelector("legend").firstChild.textContent.trim();
}

function answerInWords(field, answer) {
  const words = valueInWords(field, answer);
  return answer?.confidence == null ? words : `${words} – ${sureInWords(field, answer.confidence)}`;
}

function sureInWords(field, confidence) {
  const inputs = [...(field?.querySelectorAll("[data-confidence] input") ?? [])];
  const step = inputs.find(({ value }) => value && Number(value) === confidence);
  return step?.dataset.words ?? `${Number((100 * confidence).toPrecision(12))}% sure`;
}

function valueInWords(field, answer) {
  if (!answer) return "no answer";
  if (answer.cannot_tell) return "cannot tell";
  if (answer.category) return categoryName(field, answer.category);
  if (answer.categories) return answer.categories.map((key) => categoryName(field, key)).join(", ") || "none of these";
  if (typeof answer.text === "string") return shortened(answer.text);
  return `${answer.number}`;
}

function shortened(text) {
  const characters = [...text];
  return characters.length > 200 ? `${characters.slice(0, 199).join("")}…` : text;
}

function categoryName(field, key) {
  const inputs = [...(field?.querySelectorAll("[data-category]") ?? [])];
  const input = inputs.find((one) => one.dataset.category === key);
  return input?.closest("label").querySelector("span").textContent ?? key;
}
