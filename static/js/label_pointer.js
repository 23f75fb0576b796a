/** What is done with a mouse or a finger: a choice that saves at once, and the second click of a double click. */

import { shownId } from "./label_page.js";

// The next item is there before a double click is over: the second click was not meant for it.
const DOUBLE = 300;
const NEAR = 8;

let isPointing = false;
let isSecond = false;
let last = { at: -Infinity, x: 0, y: 0, item: null };

function down({ clientX: x, clientY: y }) {
  const now = { at: Date.now(), x, y, item: shownId() };
  const isNear = Math.abs(x - last.x) <= NEAR && Math.abs(y - last.y) <= NEAR;
  isSecond = isNear && now.at - last.at < DOUBLE && now.item !== last.item;
  isPointing = true;
  last = now;
}

/** choose: what to do when an answer was chosen by pointing at it. Arrow keys go through the answers, and choose none. */
export function listenToPointer(choose) {
  document.addEventListener("pointerdown", down, { capture: true });
  document.addEventListener("keydown", () => (isPointing = false), { capture: true });
  document.addEventListener("change", ({ target }) => {
    if (isPointing && target.matches("#answers [data-category]")) choose();
  });
}

export const isMeantForTheLast = ({ detail, target }) => isSecond && detail > 0 && target.closest("#answers .choice, #answers button");
