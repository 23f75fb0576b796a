/** Sound and film by keys, so that who listens need not leave the answers: play or pause, a little back, a little on. */

import { main } from "./label_page.js";

const STEP = 5;
// The one of several that played last.
let last = null;

export const players = "audio, video";

export function listenToPlayers() {
  document.addEventListener("play", ({ target }) => (last = target), { capture: true });
  document.addEventListener("focusin", letGo);
}

/* What a browser draws in a player keeps every key to itself. Who comes by Tab wants that; who clicked goes on here. */
function letGo({ target }) {
  if (target.matches(players) && !target.matches(":focus-visible")) setTimeout(() => target.blur());
}

function player() {
  return last?.isConnected ? last : main.querySelector(players);
}

export function playOrPause() {
  const found = player();
  if (!found) return;
  if (found.paused) found.play().catch(() => {});
  else found.pause();
}

function go(seconds) {
  const found = player();
  if (found) found.currentTime = Math.max(0, found.currentTime + seconds);
}

export const goBackABit = () => go(-STEP);
export const goOnABit = () => go(STEP);
