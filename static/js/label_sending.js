/** What is kept in this browser, on its way to the server: each entry once at a time, as the user who is signed in. */

import { Outbox, send } from "./label_outbox.js";
import { fetchedInPlace, form, troubleOf } from "./label_page.js";

// So long one answer is waited for. A server that is slower than that is given more time, not asked more often.
const PATIENT = 10_000;
const MOST_PATIENT = 60_000;

const { owner, next: home } = form().dataset;
export const outbox = new Outbox(owner);
const sending = new Map();
const tried = new Set();
let token = document.querySelector("[name=csrfmiddlewaretoken]").value;
let patience = PATIENT;
let trouble = null;

/** Why the last thing that was sent did not arrive: "away", "slow" or "busy"; null if it did. */
export const troubleNow = () => trouble;

/** It was sent from here, so that the server may have it, even if no answer came. */
export const wasTried = ({ key }) => tried.has(key);

/** {status, body}, or null if no answer came: the entry waits. The same entry is sent once at a time. */
export function sendNow(entry) {
  if (!sending.has(entry.key)) {
    sending.set(entry.key, attempt(entry, tried.has(entry.key)).finally(() => sending.delete(entry.key)));
    tried.add(entry.key);
  }
  return sending.get(entry.key);
}

async function attempt(entry, wasTriedBefore) {
  try {
    let answer = await send(entry, token, patience);
    // After signing in again, also in another tab, the token is another one.
    if (isSignedOut(answer) && (await renewToken())) answer = await send(entry, token, patience);
    trouble = null;
    patience = PATIENT;
    return answer;
  } catch (error) {
    trouble = troubleOf(error);
    // Where the browser itself has no connection, it never left. A server on this machine may be there all the same.
    if (trouble === "away" && !navigator.onLine && !wasTriedBefore) tried.delete(entry.key);
    if (trouble === "slow") patience = Math.min(MOST_PATIENT, 2 * patience);
    return null;
  }
}

export const isSignedOut = ({ status }) => status === 401 || status === 403;

/* What the browser holds, and that it wants the item itself instead of the way to it. */
const asked = (held) => new URLSearchParams([["in_place", ""], ...held.map((id) => ["held", id])]);

/** The page of what comes next, looked up and not taken; where it has to be taken first, a page that says so. */
export const peekNext = (held) => fetchedInPlace(`${home}?${asked(held)}`);

/** The page of the next item; an assignment on demand is taken. */
export const takeNext = (held) => fetchedInPlace(home, {
  method: "POST",
  headers: { "X-CSRFToken": token },
  body: asked(held),
});

/* Whether the same person is signed in still, or again. */
async function renewToken() {
  const found = await peekNext([]);
  if (!found) return false;
  token = found.token;
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = token;
  return true;
}
