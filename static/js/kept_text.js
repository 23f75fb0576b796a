/** A long text that is being written, kept in this browser until it is saved: a session that ends does not lose it.
 *
 * It is only for who wrote it, and only offered: what is in the form may be newer.
 */

const form = document.querySelector("form[data-keep]");
const field = form?.querySelector("textarea");
const NAME = `interrater:${form?.dataset.keep}:text:${location.pathname}`;
// As other times are shown: 20 Nov 2026, 14:02.
const MOMENT = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
const plain = (text) => text.replaceAll("\r\n", "\n");

function kept() {
  try {
    return JSON.parse(localStorage.getItem(NAME));
  } catch {
    return null;
  }
}

function keep() {
  try {
    if (plain(field.value) === plain(field.defaultValue)) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify({ text: field.value, at: Date.now() }));
  } catch {
    // Where nothing is kept, the text lasts as long as the page.
  }
}

function forget() {
  localStorage.removeItem(NAME);
  document.querySelector("[data-kept]").hidden = true;
}

function restore() {
  field.value = kept().text;
  document.querySelector("[data-kept]").hidden = true;
  field.focus();
}

function offer() {
  const found = kept();
  if (!found) return;
  // Saved by now, or refused and in the form still.
  if (plain(found.text) === plain(field.value)) return localStorage.removeItem(NAME);
  const notice = document.querySelector("[data-kept]");
  const time = notice.querySelector("time");
  time.dateTime = new Date(found.at).toISOString();
  time.textContent = new Date(found.at).toLocaleString("en-GB", MOMENT);
  notice.hidden = false;
}

if (form) {
  offer();
  field.addEventListener("input", keep);
  document.querySelector("[data-restore]").addEventListener("click", restore);
  document.querySelector("[data-forget]").addEventListener("click", forget);
}
