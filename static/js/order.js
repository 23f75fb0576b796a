/** Drag the rows of a list by their grips into another order; the buttons "up" and "down" move them by the keyboard.
 *
 * Without scripts the buttons send their forms. Here the row moves at once and keeps the focus.
 */

import { take } from "./dragging.js";

const announcement = document.createElement("p");
announcement.className = "visually-hidden";
announcement.setAttribute("role", "status");
document.body.append(announcement);

function rowsOf(list) {
  return [...list.children];
}

/* Places and buttons follow the new order, as if the page had been loaded again. */
function renumber(list) {
  const rows = rowsOf(list);
  rows.forEach((row, place) => {
    const shown = row.querySelector(".place");
    if (shown) shown.textContent = place + 1;
    const [up, down] = row.querySelectorAll("button[name=to]");
    up.disabled = place === 0;
    down.disabled = place === rows.length - 1;
  });
}

async function keep(list, row) {
  const form = new FormData();
  form.append("csrfmiddlewaretoken", list.parentElement.querySelector("[name=csrfmiddlewaretoken]").value);
  for (const other of rowsOf(list)) form.append("id", other.dataset.id);
  const answer = await fetch(list.dataset.order, { method: "POST", body: form, headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok) throw new Error(`${answer.status}`);
  // A refusal leads to a page that says why, and says it once: it is the page to show.
  if (page.querySelector(".notice.error")) return show(page);
  announcement.textContent = `${row.dataset.name} is now in position ${rowsOf(list).indexOf(row) + 1}.`;
}

function show(page) {
  document.querySelector("main").replaceWith(document.importNode(page.querySelector("main"), true));
  watch();
  announcement.textContent = document.querySelector(".notice.error").textContent.trim();
}

async function settle(list, row) {
  renumber(list);
  try {
    await keep(list, row);
  } catch {
    window.location.reload();
  }
}

/* One place up or down; the focus stays, on the other button where the row has reached the end. */
function step(list, button) {
  const row = button.closest("li");
  if (button.value === "up") row.previousElementSibling?.before(row);
  else row.nextElementSibling?.after(row);
  settle(list, row);
  (button.disabled ? row.querySelector("button[name=to]:not(:disabled)") : button)?.focus();
}

function watch() {
  for (const list of document.querySelectorAll("[data-order]")) {
    list.classList.add("js-order");
    list.addEventListener("pointerdown", (event) => {
      const grip = event.target.closest(".grip");
      if (grip && event.button === 0) take(grip, event, settle);
    });
    list.addEventListener("submit", (event) => {
      if (event.submitter?.name !== "to") return;
      event.preventDefault();
      step(list, event.submitter);
    });
  }
}

watch();
