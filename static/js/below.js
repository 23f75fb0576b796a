/** The questions next to an item: as high as the window has room for, with a count of those that are out of sight below.
 *
 * Without scripts, the page scrolls as a whole instead.
 */

const SLACK = 8;
let isAsked = false;
let isArrow = false;

const bar = () => document.querySelector("main.label .ask .actions");
const fieldsOf = (pane) => [...pane.querySelectorAll("fieldset[data-question], #decision > fieldset")].filter((field) => !field.hidden);

/** Once per frame, however much changed. */
function look() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    makeRoom();
    showBelow();
  });
}

/* What is above the item, such as a notice, takes room from the questions next to it. */
function makeRoom() {
  const main = document.querySelector("main.label");
  const item = main?.querySelector(".item");
  if (!item) return;
  const above = `${Math.round(item.getBoundingClientRect().top + window.scrollY)}px`;
  if (main.style.getPropertyValue("--above") !== above) main.style.setProperty("--above", above);
}

function showBelow() {
  const place = bar();
  if (!place) return;
  const isOver = getComputedStyle(place).position === "sticky" && isAnythingBelow(place);
  const words = isOver ? wordsFor(place) : "";
  place.classList.toggle("is-over", isOver);
  let button = place.querySelector("[data-below]");
  if (!button && !words) return;
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.className = "below";
    button.dataset.below = "";
    place.prepend(button);
  }
  // What is set again counts as a change, which would be looked at again.
  if (button.hidden !== !words) button.hidden = !words;
  if (words && button.textContent !== words) button.textContent = words;
}

function wordsFor(place) {
  const edge = place.getBoundingClientRect().top;
  const fields = fieldsOf(place.closest(".ask"));
  const n = fields.filter((field) => startOf(field) > edge - SLACK).length;
  if (n) return `${n} more question${n > 1 ? "s" : ""} below`;
  const last = fields.at(-1)?.getBoundingClientRect();
  if (last && last.bottom > edge + SLACK) return "More below";
  // A decision may need its reason.
  return place.closest("#decision") ? "More below" : "";
}

function isAnythingBelow(place) {
  return place.previousElementSibling.getBoundingClientRect().bottom > place.getBoundingClientRect().top + SLACK;
}

const startOf = (field) => (field.querySelector("legend") ?? field).getBoundingClientRect().bottom;

/** So that it can be read: from its beginning, if it is higher than the room. */
function bringIntoSight(field) {
  const place = bar();
  const pane = field.closest(".ask");
  const top = Math.max(0, pane.getBoundingClientRect().top);
  const { top: start, bottom: end, height } = field.getBoundingClientRect();
  const edge = place.getBoundingClientRect().top;
  if (start >= top && end <= edge - SLACK) return;
  field.scrollIntoView({ block: height > edge - top - SLACK ? "start" : "nearest" });
}

/** The next question that has no answer comes into sight; hasAnswer: of a fieldset. Arrow keys still go through this one. */
export function showNextOpen(field, hasAnswer) {
  if (isArrow) return;
  const fields = fieldsOf(field.closest(".ask"));
  const next = fields.slice(fields.indexOf(field) + 1).find((one) => !hasAnswer(one));
  if (next) bringIntoSight(next);
}

/* To the first question that is out of sight, or to the end. */
function goBelow() {
  const place = bar();
  const edge = place.getBoundingClientRect().top;
  const fields = fieldsOf(place.closest(".ask"));
  const next = fields.find((field) => startOf(field) > edge - SLACK);
  if (!next) return place.previousElementSibling.scrollIntoView({ block: "end" });
  bringIntoSight(next);
  next.querySelector("input:not([type=hidden]), textarea")?.focus({ preventScroll: true });
}

export function watchBelow() {
  document.addEventListener("click", ({ target }) => target.closest("[data-below]") && goBelow());
  document.addEventListener("keydown", ({ key }) => (isArrow = key.startsWith("Arrow")), { capture: true });
  document.addEventListener("pointerdown", () => (isArrow = false), { capture: true });
  document.addEventListener("scroll", look, { capture: true, passive: true });
  window.addEventListener("resize", look);
  document.addEventListener("load", look, { capture: true });
  const seen = { childList: true, subtree: true, attributes: true, attributeFilter: ["hidden", "open", "disabled"] };
  new MutationObserver(look).observe(document.body, seen);
  look();
}
