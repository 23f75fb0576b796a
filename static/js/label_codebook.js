/** Which version of the codebook a person was told of here, and the newest one that the server spoke of.
 *
 * Keys count only for what was told: an answer that a key sets must be the one that the person means by it.
 */

import { form, main, telling } from "./label_page.js";

const { owner, next: home } = form().dataset;
const NAME = `interrater:${owner}:told:${home}`;
let newest = versionOf(form());
let renew = () => {};
// In an earlier visit, by which nothing was saved, an older one was told of: the server does not know.
let isMissed = false;

begin(main.querySelector("#changes"), remembered());

function begin(notice, before) {
  if (notice) telling.told = Math.max(Number(notice.dataset.since), before ?? 0);
  else telling.told = Math.min(newest, before ?? newest);
  isMissed = !notice && telling.told < newest;
}

function remembered() {
  try {
    return Number(localStorage.getItem(NAME)) || null;
  } catch {
    return null;
  }
}

function told(version) {
  telling.told = Math.max(telling.told, version);
  try {
    localStorage.setItem(NAME, `${telling.told}`);
  } catch {
    // Then it is known as long as the page is open.
  }
}

function versionOf(page) {
  return Number(page?.dataset.codebook ?? 0);
}

/** Look again at what is shown, when the codebook is another one: what to do is said by the queue. */
export function whenNewer(act) {
  renew = act;
}

/** The server spoke of this version: what was fetched before is out of date. */
export function hear(version) {
  if (!(version > newest)) return false;
  newest = version;
  renew();
  return true;
}

export const isOutOfDate = () => form() !== null && versionOf(form()) < newest;

/** Something changed, and the person has not said that it was read: no key counts. */
export const isUnread = () => isMissed || main.querySelector("#changes [data-understood]") !== null;

/** As an item is shown: what changed comes before it, once. */
export function tellChanges() {
  const version = versionOf(form());
  newest = Math.max(newest, version);
  const notice = main.querySelector("#changes");
  const isNews = version > telling.told && (notice !== null || isMissed);
  for (const part of main.querySelectorAll(".ask")) part.inert = isNews;
  if (isNews && notice) {
    isMissed = false;
    notice.querySelector("[data-needs-confirmation]").hidden = false;
    document.getElementById("changes-title").focus();
  } else if (!isNews) {
    told(version);
    notice?.remove();
  }
}

/** What was not told on a page that was loaded as a whole; ask: to fetch it once more, saying what was told. */
export async function tellMissed(ask) {
  if (!isMissed) return;
  await ask();
  isMissed = false;
  tellChanges();
}

export function understood() {
  told(versionOf(form()));
  tellChanges();
  document.getElementById("item-key")?.focus();
}
