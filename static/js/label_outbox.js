/** What waits in this browser until the server confirms that it is saved: one entry for each save, and drafts.
 *
 * Each entry has a key of its own. However often it is sent, from whichever tab, the server does it once.
 */

/* Where a browser keeps nothing (full, or forbidden), saving works all the same, as long as the page is open. */
const memory = new Map();

function keep(name, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(name, text);
    memory.delete(name);
  } catch {
    memory.set(name, text);
  }
}

function kept(name) {
  if (memory.has(name)) return JSON.parse(memory.get(name));
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

function drop(name) {
  memory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // Nothing is kept there.
  }
}

function names(start) {
  try {
    return [...Object.keys(localStorage), ...memory.keys()].filter((name) => name.startsWith(start));
  } catch {
    return [...memory.keys()].filter((name) => name.startsWith(start));
  }
}

export class Outbox {
  constructor(owner) {
    // Another person at this browser neither sees nor sends what is not theirs.
    this.sends = `interrater:${owner}:send:`;
    this.drafts = `interrater:${owner}:draft:`;
    // The keys of entries that this page added, to distinguish them from those of other tabs.
    this.own = new Set();
  }

  put(entry) {
    const made = { ...entry, key: crypto.randomUUID?.() ?? randomKey(), at: Date.now() };
    keep(this.sends + made.key, made);
    this.own.add(made.key);
    return made;
  }

  isOwn({ key }) {
    return this.own.has(key);
  }

  /** after: the previous entry for the same item. Only its response says which labels this one replaces. */
  isHeld({ after }) {
    return !!after && kept(this.sends + after) !== null;
  }

  /** The next one to send, in the order in which they were made, without those of the items that are passed over. */
  next(passedOver = new Set()) {
    return this.all().find((entry) => !passedOver.has(entry.assignment) && !this.isHeld(entry));
  }

  /** It no longer waits. Later entries for the item replace the labels that it saved; null if it was refused. */
  answered(entry, revisions) {
    this.remove(entry);
    for (const { after, ...next } of this.all().filter((one) => one.after === entry.key)) {
      if (revisions) keep(this.sends + next.key, { ...next, body: { ...next.body, revisions } });
      else if (next.kind === "undo") this.remove(next);
      else keep(this.sends + next.key, next);
    }
  }

  has(entry) {
    return kept(this.sends + entry.key) !== null;
  }

  remove(entry) {
    drop(this.sends + entry.key);
  }

  all() {
    return names(this.sends).map(kept).filter(Boolean).sort((a, b) => a.at - b.at);
  }

  /** A draft is {assignment, body}; of one that the server refused also {item, page, refusal, error, words}, of one that was
   * taken back {isUndone}. */
  draft(assignment) {
    return kept(this.drafts + assignment);
  }

  keepDraft(assignment, body, more = {}) {
    keep(this.drafts + assignment, { assignment, body, ...more });
  }

  dropDraft(assignment) {
    drop(this.drafts + assignment);
  }

  /** What was saved is no draft any more; what was begun or taken back since then stays one. */
  dropDraftOf({ assignment, body }) {
    const draft = this.draft(assignment);
    if (!draft || draft.isUndone) return;
    if (JSON.stringify(draft.body.answers) === JSON.stringify(body.answers)) this.dropDraft(assignment);
  }

  /** Something waits that this browser keeps only as long as the page is open. */
  isVolatile() {
    return [...memory.keys()].some((name) => name.startsWith(this.sends));
  }

  refused() {
    return names(this.drafts).map(kept).filter((draft) => draft?.refusal);
  }
}

/* Where the page was not loaded over TLS, browsers keep randomUUID back. */
function randomKey() {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// Of a server that is there, but not now: what it says of itself is no answer to what was sent.
const LATER = new Set([408, 425, 429]);

/** Send to the API; returns {status, body}, or throws if the server could not be reached or cannot answer now. */
export async function send(entry, token, patience) {
  const answer = await fetch(entry.address, {
    method: entry.method,
    headers: { "Content-Type": "application/json", "Idempotency-Key": entry.key, "X-CSRFToken": token },
    body: JSON.stringify(entry.body),
    signal: AbortSignal.timeout(patience),
  });
  if (answer.status >= 500 || LATER.has(answer.status)) throw new Error(`${answer.status}`);
  return { status: answer.status, body: await answer.json() };
}
