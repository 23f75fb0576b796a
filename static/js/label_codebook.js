/** Which version of the codebook the rater has seen here, and the newest one that the server has mentioned.
 *
 * Keys work only for a version that was seen: the answer that a key sets must be the one that the rater means.
 */

import { codebook, form, main } from "./label_page.js";

const { owner, next: home } = form().dataset;
const NAME = `interrater:${owner}:seen:${home}`;
let newest = versionOf(form());
let renew = () => {};
// An older version was seen in an earlier visit in which nothing was saved, so the server does not know of it.
let isMissed = false;

begin(main.querySelector("#changes"), remembered());

function begin(notice, before) {
  if (notice) codebook.seen = Math.max(Number(notice.dataset.since), before ?? 0);
  else codebook.seen = Math.min(newest, before ?? newest);
  isMissed = !notice && codebook.seen < newest;
}

function remembered() {
  try {
    return Number(localStorage.getItem(NAME)) || null;
  } catch {
    return null;
  }
}

function markSeen(version) {
  codebook.seen = Math.max(codebook.seen, version);
  try {
    localStorage.setItem(NAME, `${codebook.seen}`);
  } catch {
    // It is then only known while the page is open.
  }
}

function versionOf(page) {
  return Number(page?.dataset.codebook ?? 0);
}

/** Set what happens when there is a newer codebook; the queue decides. */
export function whenNewer(act) {
  renew = act;
}

/** The server mentioned this version: pages that were fetched before are out of date. */
export function hear(version) {
  if (!(version > newest)) return false;
  newest = version;
  renew();
  return true;
}

export const isOutOfDate = () => form() !== null && versionOf(form()) < newest;

/** Something changed, and the rater has not confirmed it yet: keys do nothing. */
export const isUnread = () => isMissed || main.querySelector("#changes [data-understood]") !== null;

/** When an item is shown, changes come before it, once. */
export function tellChanges() {
  const version = versionOf(form());
  newest = Math.max(newest, version);
  const notice = main.querySelector("#changes");
  const isNews = version > codebook.seen && (notice !== null || isMissed);
  for (const part of main.querySelectorAll(".ask")) part.inert = isNews;
  if (isNews && notice) {
    isMissed = false;
    notice.querySelector("[data-needs-confirmation]").hidden = false;
    document.getElementById("changes-title").focus();
  } else if (!isNews) {
    markSeen(version);
    notice?.remove();
  }
}

/** Show changes that a full page load did not show. ask: fetches the page again, with the version that was seen. */
export async function tellMissed(ask) {
  if (!isMissed) return;
  await ask();
  isMissed = false;
  tellChanges();
}

export function understood() {
  markSeen(versionOf(form()));
  tellChanges();
  document.getElementById("item-key")?.focus();
}
