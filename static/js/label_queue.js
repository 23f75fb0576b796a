/** The way through the items: what lies ahead is fetched beforehand, what lies behind can be gone back to. */

import { hear, isOutOfDate, whenNewer } from "./label_codebook.js";
import { fetched, form, kept, main, shownAddress, shownId, swap } from "./label_page.js";
import { nextTaken, nextTold } from "./label_sending.js";
import { tell } from "./label_told.js";
import { alone } from "./label_turn.js";

const { next: home } = form().dataset;
const trail = [];
let ready = [];
let isFilling = false;
let isEnd = false;
// Of the form that is shown, or was last: how many items may lie ahead, and whether they are taken on demand.
let plan = form().dataset;
// Who has answered something, or gone on, is at work. Whoever only looks takes nothing.
let isWorking = false;
// What was asked for before the codebook or the queue was another one is not put behind what is asked for now.
let edition = 0;
let waiting = () => [];
let shown = () => {};

/** begin: what to do with each item that is shown. held: the items whose answers wait to be sent. */
export function start({ begin, held }) {
  shown = begin;
  waiting = held;
  whenNewer(renewAll);
}

/* Whoever is just saving comes to a new page anyway; whoever is not is told at once. */
function renewAll() {
  dropReady();
  alone(async () => {
    if (isOutOfDate()) await showAgain();
  });
}

const inHand = () => [shownId(), ...ready.map((one) => one.id), ...waiting()].filter(Boolean);

/** From now on, what is free for whoever asks is taken before it is needed, one at a time. */
export function beAtWork() {
  if (isWorking) return;
  isWorking = true;
  fill();
}

/** One after the other, so that the server is not asked for all at once. */
export async function fill() {
  if (isFilling || isEnd) return;
  isFilling = true;
  try {
    while (ready.length < Number(plan.ahead) && !isEnd) {
      const takes = mayTake();
      if (!takes && "onDemand" in plan) return;
      const held = inHand();
      const asked = edition;
      const found = await (takes ? nextTaken(held) : nextTold(held));
      if (asked !== edition) continue;
      if (!found || held.includes(found.id)) return;
      // What was fetched before asks by an older codebook: it is fetched again, in its order.
      if (hear(found.codebook)) continue;
      isEnd = found.isEnd;
      // What is free is not told, but taken; work may have begun since this was asked.
      if (!found.id && !isEnd && (takes || !mayTake())) return;
      if (found.id && !inHand().includes(found.id)) put(found);
    }
  } catch {
    // No connection: what is there has to do.
  } finally {
    isFilling = false;
  }
}

const mayTake = () => isWorking && !ready.length;

function put(found) {
  ready.push(found);
  // A page that is only parsed fetches nothing: its pictures are asked for here.
  for (const picture of found.page.querySelectorAll("article img")) new Image().src = picture.src;
}

/** Something is left again, such as what was put off. */
export function lookAgain() {
  edition += 1;
  isEnd = false;
}

/** At the end, once all is sent: what it says counts that too. */
export async function renewEnd() {
  if (main.querySelector("[data-nothing-left]")) await load(home);
}

/** Saved elsewhere, or what it asks is out of date. */
export function dropReady(isGone = () => true) {
  ready = ready.filter((one) => !isGone(one.id));
  lookAgain();
}

function show(found) {
  ready = ready.filter((one) => one.id !== found.id);
  swap(found);
  plan = form()?.dataset ?? plan;
  shown();
}

export async function goOn() {
  const before = main.querySelector("#answers, [data-reference]") ? kept() : null;
  isWorking = true;
  if (ready.length) show(ready[0]);
  else if (!(await load(home, () => nextTaken(waiting())))) return;
  if (before) trail.push(before);
  fill();
}

/** Back to the item before, as it stands now; without a connection, as it was left. */
export async function back() {
  const last = trail.at(-1);
  const address = last?.address ?? main.querySelector("[data-back]")?.getAttribute("href");
  if (!address) return;
  await leaveFor(address);
  trail.pop();
}

/** Show another item, and this one again after it. */
export async function leaveFor(address) {
  const here = form() ? kept() : null;
  if ((await load(address)) && here?.id && here.id !== shownId()) ready.unshift(here);
}

/* The browser goes there itself if that is no item, such as after signing out. */
async function load(address, ask = () => fetched(address)) {
  try {
    const found = await ask();
    tell("away");
    if (found) show(found);
    else location.assign(address);
    return !!found;
  } catch {
    const known = [...trail, ...ready].findLast((one) => one.address === address);
    if (known) show(known);
    else tell("away", "No connection. This item can’t be loaded right now.");
    return !!known;
  }
}

/** As the server shows it now. */
export const showAgain = () => load(location.pathname);

/** The browser's own buttons: the address has changed already; a link inside the page changes nothing. */
export function follow() {
  if (location.pathname !== shownAddress()) leaveFor(location.pathname);
}
