/** The way through the items: what lies ahead is fetched beforehand, what lies behind can be gone back to. */

import { hear, isOutOfDate, whenNewer } from "./label_codebook.js";
import { writeRevisions } from "./label_form.js";
import { fetched, fetchedInPlace, form, kept, main, shownAddress, shownId, swap, troubleOf } from "./label_page.js";
import { takeNext, peekNext, outbox } from "./label_sending.js";
import { tell } from "./label_messages.js";
import { behind } from "./label_turn.js";

const { next: home } = form().dataset;
const WHY = {
  away: "No connection.",
  slow: "The server is slow to respond.",
  busy: "The server can’t respond right now.",
};
// A page that is kept takes memory.
const MOST_BEHIND = 100;
const trail = [];
let ready = [];
let isFilling = false;
let isEnd = false;
// Of the form that is shown, or was last: how many items may lie ahead, and whether they are taken on demand.
let plan = form().dataset;
// Raters who have answered or moved on are at work. Just looking takes no assignment.
let isWorking = false;
// What was asked for before the codebook or the queue was another one is not put behind what is asked for now.
let edition = 0;
let waiting = () => [];
let shown = () => {};
let sendAll = async () => {};
// The item that is shown is through, and the one after it could not be loaded.
let isHeldUp = false;
let isLoading = false;

/** begin: what to do with each item that is shown. held: the items whose answers wait to be sent. send: to send them. */
export function start({ begin, held, send }) {
  shown = begin;
  waiting = held;
  sendAll = send;
  whenNewer(renewAll);
}

export const isStuck = () => isHeldUp;

/** The next item is on its way: what is pressed now is not meant for the one that is shown still. */
export const isUnderWay = () => isLoading;
export const canGoBack = () => trail.length > 0;

/* A rater who is saving gets a new page anyway; any other sees the message at once. */
function renewAll() {
  dropReady();
  behind(async () => {
    if (isOutOfDate()) await showAgain();
  });
}

const inHand = () => [shownId(), ...ready.map((one) => one.id), ...waiting()].filter(Boolean);

/** From now on, assignments on demand are taken in advance, one at a time. */
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
      const found = await (takes ? takeNext(held) : peekNext(held));
      if (asked !== edition) continue;
      if (!found || held.includes(found.id)) return;
      // What was fetched before asks by an older codebook: it is fetched again, in its order.
      if (hear(found.codebook)) continue;
      isEnd = found.isEnd;
      // Assignments on demand are taken without a message; work may have begun since this was requested.
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

/** Something is left again, such as a skipped item. */
export function lookAgain() {
  edition += 1;
  isEnd = false;
}

/** At the end, once all is sent: what it says counts that too. */
export async function renewEnd() {
  if (!main.querySelector("[data-nothing-left]")) return;
  if (ready.length) show(ready[0]);
  else await load(home);
}

/** What the server did not take is the next item, as the server shows it now; what else lies ahead is fetched again. */
export async function comeNext(address) {
  dropReady();
  try {
    let asked, found;
    do {
      asked = edition;
      found = await fetchedInPlace(address);
    } while (asked !== edition);
    if (found && address !== shownAddress()) ready = [found, ...ready.filter((one) => one.id !== found.id)];
    if (found) hear(found.codebook);
  } catch {
    // No connection: it is there by its link, and comes when the server is asked what is next.
  }
  fill();
}

/** The current label is the one from here: every kept page of the item gets its revisions. */
export function seeRevisions(assignment, revisions) {
  if (shownId() === assignment) writeRevisions(form(), revisions);
  for (const { page, id } of [...trail, ...ready]) {
    if (id === assignment) writeRevisions(page.getElementById("answers"), revisions);
  }
  const { body, ...draft } = outbox.draft(assignment) ?? {};
  if (body) outbox.keepDraft(assignment, { ...body, revisions }, draft);
}

/** Saved elsewhere, or what it asks is out of date. */
export function dropReady(isGone = () => true) {
  ready = ready.filter((one) => !isGone(one.id));
  lookAgain();
}

function show(found) {
  isHeldUp = false;
  ready = ready.filter((one) => one.id !== found.id);
  swap(found);
  plan = form()?.dataset ?? plan;
  shown();
}

export async function goOn() {
  const before = main.querySelector("#answers, [data-reference]") ? kept() : null;
  isWorking = true;
  // Only requests on their way are left: the end is shown once they are saved.
  if (!ready.length && isEnd) await underWay(sendAll);
  if (ready.length) show(ready[0]);
  else if (!(await underWay(() => load(home, () => takeNext(waiting()))))) {
    isHeldUp = true;
    // Refused while the next item was being fetched: show it here after all.
    if (outbox.draft(shownId())?.refusal) shown();
    return;
  }
  if (before) trail.push(before);
  if (trail.length > MOST_BEHIND) trail.shift();
  fill();
}

/** While the offline message is shown, check whether there is a connection again. */
export async function lookForConnection() {
  if (!main.querySelector('[data-about="away"]')) return;
  try {
    await peekNext(inHand());
    tell("away");
    fill();
  } catch {
    // Not yet.
  }
}

async function underWay(act) {
  isLoading = true;
  const asked = [...main.querySelectorAll(".ask > form")];
  for (const part of asked) part.inert = true;
  try {
    return await act();
  } finally {
    isLoading = false;
    for (const part of asked) part.inert = false;
  }
}

/** Back to the previous item in its current state; without a connection, or while its answers are on their way, as it was left. */
export async function back() {
  const last = trail.at(-1);
  // By key nobody leaves the items.
  const address = last?.address ?? main.querySelector('[data-back]:not([data-back="out"])')?.getAttribute("href");
  if (!address) return;
  if (last?.id && waiting().includes(last.id)) showKept(last);
  else await leaveFor(address);
  trail.pop();
}

/** Show an item as it was left, without waiting for the server, if it is known. */
export async function backTo({ assignment, page }) {
  const place = trail.findLastIndex((one) => one.id === assignment);
  if (place < 0) return leaveFor(page);
  showKept(trail[place]);
  trail.splice(place, 1);
}

function showKept(one) {
  const here = form() ? kept() : null;
  show(one);
  if (here?.id && here.id !== shownId()) ready.unshift(here);
}

/** Show another item, and this one again after it: as it was left, or as the server asks it if the codebook is another one. */
export async function leaveFor(address) {
  const here = form() ? kept() : null;
  if (!(await load(address)) || !here?.id || here.id === shownId()) return;
  if (!form() || Number(form().dataset.codebook) === here.codebook) ready.unshift(here);
  else await comeNext(here.address);
}

/* The browser goes there itself if that is no item, such as after signing out. */
async function load(address, ask = () => fetched(address)) {
  try {
    const sending = waiting();
    let found = await ask();
    // Its answer was saved while the page was on its way, and may be missing from it.
    if (sending.includes(found?.id) && !waiting().includes(found.id)) found = await ask();
    tell("away");
    if (found) show(found);
    else location.assign(address);
    return !!found;
  } catch (error) {
    const known = [...trail, ...ready].findLast((one) => one.address === address);
    if (known) show(known);
    else tell("away", `${WHY[troubleOf(error)]} This item can’t be loaded right now.`);
    return !!known;
  }
}

/** As the server shows it now. */
export const showAgain = () => load(location.pathname);

/** The browser's own buttons: the address has changed already; a link inside the page changes nothing. */
export function follow() {
  if (location.pathname !== shownAddress()) leaveFor(location.pathname);
}
