/** Answers that were kept in this browser are sent from any page, as soon as the one who gave them is signed in. */

import { Outbox, send } from "./label_outbox.js";

const PATIENCE = 10_000;

const owner = document.querySelector("[data-user]").dataset.user;
const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
const outbox = new Outbox(owner);
// The labeling page in another tab hears of it.
const others = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`interrater:${owner}`);

/* True if it is done; false if it is refused, which the labeling page tells and mends. */
async function deliver(entry) {
  const { status, body } = await send(entry, token, PATIENCE);
  if (status !== 200) return false;
  outbox.answered(entry, body.revisions);
  const { assignment, key, kind } = entry;
  if (kind === "save") outbox.dropDraftOf(entry);
  if (kind !== "skip") others?.postMessage({ assignment, key, revisions: body.revisions });
  return true;
}

function tell(...parts) {
  const line = document.createElement("p");
  line.className = "notice";
  line.append(...parts);
  const place = document.createElement("div");
  place.setAttribute("role", "status");
  document.querySelector("main").prepend(place);
  place.append(line);
}

async function deliverAll() {
  const refused = [];
  let n = 0;
  const passedOver = new Set();
  for (let entry = outbox.next(); entry; entry = outbox.next(passedOver)) {
    if (await deliver(entry)) n += entry.kind === "undo" ? 0 : 1;
    else {
      refused.push(entry);
      passedOver.add(entry.assignment);
    }
  }
  if (n) tell(`Saved ${n} answer${n > 1 ? "s" : ""} kept in this browser.`);
  const first = refused.find((entry) => entry.page);
  if (!first) return;
  const link = document.createElement("a");
  link.href = first.page;
  link.textContent = first.item;
  tell("An answer kept in this browser could not be saved. See ", link, ".");
}

// The labeling page sends what waits by itself.
if (!document.getElementById("answers")) {
  deliverAll().catch(() => {
    // No connection: the next page tries again.
  });
}
