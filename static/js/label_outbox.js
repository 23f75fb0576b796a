/** What waits in this browser until the server has said that it is saved: one entry for each saving, and drafts.
 *
 * Each entry has a key of its own. However often it is sent, from whichever tab, the server saves it once.
 */

const PATIENCE = 10_000;

export class Outbox {
  constructor(owner) {
    // Another person at this browser neither sees nor sends what is not theirs.
    this.sends = `interrater:${owner}:send:`;
    this.drafts = `interrater:${owner}:draft:`;
  }

  put(entry) {
    const kept = { ...entry, key: crypto.randomUUID?.() ?? randomKey(), at: Date.now() };
    localStorage.setItem(this.sends + kept.key, JSON.stringify(kept));
    return kept;
  }

  remove(entry) {
    localStorage.removeItem(this.sends + entry.key);
  }

  all() {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(this.sends))
      .map((name) => JSON.parse(localStorage.getItem(name)))
      .filter(Boolean)
      .sort((a, b) => a.at - b.at);
  }

  draft(assignment) {
    return JSON.parse(localStorage.getItem(this.drafts + assignment));
  }

  keepDraft(assignment, body) {
    localStorage.setItem(this.drafts + assignment, JSON.stringify(body));
  }

  dropDraft(assignment) {
    localStorage.removeItem(this.drafts + assignment);
  }
}

/* Where the page was not loaded over TLS, browsers keep randomUUID back. */
function randomKey() {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Send to the API; returns {status, body}, or throws if the server could not be reached or failed. */
export async function send(entry, token, method = "PUT") {
  const answer = await fetch(entry.address, {
    method,
    headers: { "Content-Type": "application/json", "Idempotency-Key": entry.key, "X-CSRFToken": token },
    body: JSON.stringify(entry.body),
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (answer.status >= 500) throw new Error(`${answer.status}`);
  return { status: answer.status, body: await answer.json() };
}
