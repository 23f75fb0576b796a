/** The preview of an import follows each choice: it is sent at once, and the page's main part swapped for the answer.
 *
 * The categories of a scale are put in order by dragging or by buttons; without scripts the buttons send the form.
 */

import { take } from "./dragging.js";
import { reopen } from "./kept_open.js";

let sending = null;

/* A live region is only read out when it was there before its text. */
const announcement = document.createElement("p");
announcement.className = "visually-hidden";
announcement.setAttribute("role", "status");
document.body.append(announcement);

async function update(form, focused = document.activeElement?.id) {
  sending?.abort();
  sending = new AbortController();
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action || window.location.href, {
      method: "POST", body: new FormData(form), signal: sending.signal, headers: { Accept: "text/html" },
    });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("#understood");
    // It holds something else than labels, which another page shows.
    if (!fresh && answer.redirected) return window.location.assign(answer.url);
    if (!fresh) return form.submit();
    form.replaceWith(fresh);
    reopen();
    if (focused) document.getElementById(focused)?.focus();
  } catch (error) {
    if (error.name !== "AbortError") form.submit();
  }
}

/* Places, names and buttons follow the new order, as if the page had been loaded again. */
function renumber(list) {
  const rows = [...list.children];
  rows.forEach((row, place) => {
    row.querySelector("input").value = place + 1;
    const [up, down] = row.querySelectorAll("button[name=move]");
    up.disabled = place === 0;
    down.disabled = place === rows.length - 1;
  });
}

function keep(list, row, focused) {
  renumber(list);
  const place = [...list.children].indexOf(row);
  announcement.textContent = `${row.dataset.name} is now in position ${place + 1}.`;
  update(list.closest("form"), focused?.(place));
}

/* The focus stays with the category, on the other button where it has reached the end. */
function step(button) {
  const row = button.closest("li");
  const list = row.parentElement;
  const isUp = button.value.endsWith("up");
  if (isUp) row.previousElementSibling?.before(row);
  else row.nextElementSibling?.after(row);
  keep(list, row, (place) => {
    const last = list.children.length - 1;
    const way = place === 0 ? "down" : place === last ? "up" : isUp ? "up" : "down";
    return `move-${list.dataset.question}-${place}-${way}`;
  });
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("#understood");
  if (form) update(form);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("#understood button[name=move]");
  if (!button) return;
  event.preventDefault();
  step(button);
});

document.addEventListener("pointerdown", (event) => {
  const grip = event.target.closest("#understood .grip");
  if (grip && event.button === 0) take(grip, event, (list, row) => keep(list, row));
});
