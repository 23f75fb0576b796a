/** What is kept in this browser, on its way to the server: each entry once at a time, under whoever is signed in. */

import { Outbox, send } from "./label_outbox.js";
import { fetchedInPlace, form } from "./label_page.js";

// A person waits so long for an answer, then goes on while the entry waits; in the background there is more time.
const QUICK = 2500;
export const PATIENT = 10_000;

const { owner, next: home } = form().dataset;
export const outbox = new Outbox(owner);
const sending = new Map();
let token = document.querySelector("[name=csrfmiddlewaretoken]").value;
let isLost = false;

/** The last thing that was sent did not arrive. */
export const isAway = () => isLost;

/** What becomes of an entry that is being sent. */
export const inFlight = (entry) => sending.get(entry.key);

/** {status, body}, or null if the server cannot be reached: the entry waits. The same entry is sent once at a time. */
export function sendNow(entry, patience = QUICK) {
  if (!sending.has(entry.key)) {
    sending.set(entry.key, attempt(entry, patience).finally(() => sending.delete(entry.key)));
  }
  return sending.get(entry.key);
}

async function attempt(entry, patience) {
  try {
    let answer = await send(entry, token, patience);
    // After signing in again, also in another tab, the token is another one.
    if (isSignedOut(answer) && (await renewToken())) answer = await send(entry, token, patience);
    isLost = false;
    return answer;
  } catch {
    isLost = true;
    return null;
  }
}

export const isSignedOut = ({ status }) => status === 401 || status === 403;

/* What the browser holds, and that it wants the item itself instead of the way to it. */
const asked = (held) => new URLSearchParams([["in_place", ""], ...held.map((id) => ["besides", id])]);

/** The page of what comes next, looked up and not taken; where it has to be taken first, a page that says so. */
export const nextTold = (held) => fetchedInPlace(`${home}?${asked(held)}`);

/** The page of what comes next, taken if it is free for whoever asks. */
export const nextTaken = (held) => fetchedInPlace(home, {
  method: "POST",
  headers: { "X-CSRFToken": token },
  body: asked(held),
});

/* Whether the same person is signed in still, or again. */
async function renewToken() {
  const found = await nextTold([]);
  if (!found) return false;
  token = found.token;
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = token;
  return true;
}
