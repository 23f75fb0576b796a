/** The form of the labelling page, to and from what the API takes. */

export function readAnswers(form) {
  const answers = [...form.querySelectorAll("fieldset[data-question]")].map(readAnswer).filter(Boolean);
  const note = form.elements.note.value;
  if (answers.length && note) answers[0].note = note;
  return {
    answers,
    revisions: [...form.querySelectorAll("input[data-question]")].map((input) => ({
      question: input.dataset.question,
      revision: Number(input.value),
    })),
    is_guideline_unclear: form.elements.unclear.checked,
    guidelines_version: Number(form.elements.version.value),
  };
}

function readAnswer(field) {
  const { question, kind } = field.dataset;
  if (field.querySelector("[data-cannot-tell]:checked")) {
    return { question, cannot_tell: true, reason: field.querySelector(".reason input").value };
  }
  const chosen = [...field.querySelectorAll("[data-category]:checked")].map((input) => input.dataset.category);
  if (kind === "multiple") {
    return chosen.length || "required" in field.dataset ? { question, categories: chosen } : null;
  }
  if (kind === "single") return chosen.length ? { question, category: chosen[0] } : null;
  const number = readNumber(field);
  return number === null ? null : { question, number };
}

function readNumber(field) {
  const text = field.querySelector(".number input").value.trim().replace(",", ".").replace("−", "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : null;
}

/** The first question that needs an answer and has none, or holds what is no number. */
export function firstMissing(form) {
  return [...form.querySelectorAll("fieldset[data-question]")].find((field) => {
    const answer = readAnswer(field);
    const typed = field.querySelector(".number input")?.value.trim();
    return answer === null && ("required" in field.dataset || typed);
  });
}

export function writeAnswers(form, body) {
  const said = new Map(body.answers.map((answer) => [answer.question, answer]));
  for (const field of form.querySelectorAll("fieldset[data-question]")) {
    const answer = said.get(field.dataset.question) ?? {};
    for (const input of field.querySelectorAll("[data-category]")) {
      input.checked = answer.category === input.dataset.category || !!answer.categories?.includes(input.dataset.category);
    }
    const unsure = field.querySelector("[data-cannot-tell]");
    if (unsure) unsure.checked = !!answer.cannot_tell;
    if (unsure && answer.reason) field.querySelector(".reason input").value = answer.reason;
    const number = field.querySelector(".number input");
    if (number) number.value = answer.number ?? "";
  }
  form.elements.note.value = body.answers.find((answer) => answer.note)?.note ?? "";
  form.elements.unclear.checked = !!body.is_guideline_unclear;
}

/** Where the page left a label behind, what stands now: saving again is then meant to replace it. */
export function seeWhatStands(form, changed) {
  for (const { field, revision } of changed) {
    for (const input of form.querySelectorAll("input[data-question]")) {
      if (input.dataset.question === field) input.value = revision;
    }
  }
}

export function inWords(said) {
  if (!said) return "no answer";
  if (said.cannot_tell) return "cannot tell";
  return said.category ?? said.categories?.join(", ") ?? `${said.number}`;
}
