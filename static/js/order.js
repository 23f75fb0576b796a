/** Drag the rows of a list by their grips into another order; the buttons "up" and "down" do the same without. */

const announcement = document.createElement("p");
announcement.className = "unseen";
announcement.setAttribute("role", "status");
document.body.append(announcement);

function rowsOf(list) {
  return [...list.children];
}

function orderOf(list) {
  return rowsOf(list).map((row) => row.dataset.id).join(" ");
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
  // A refusal leads to a page that says why; what was shown may not hold, so the page is loaded again.
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok || page.querySelector(".notice.error")) throw new Error(`${answer.status}`);
  announcement.textContent = `${row.dataset.name} is now number ${rowsOf(list).indexOf(row) + 1}.`;
}

function moveTo(list, row, y) {
  const after = rowsOf(list).find((other) => {
    if (other === row) return false;
    const box = other.getBoundingClientRect();
    return y < box.top + box.height / 2;
  });
  if (after !== row.nextElementSibling) list.insertBefore(row, after ?? null);
}

function take(grip, event) {
  const row = grip.closest("li");
  const list = row.parentElement;
  const before = orderOf(list);
  event.preventDefault();
  grip.setPointerCapture(event.pointerId);
  row.classList.add("taken");
  const move = (moved) => moveTo(list, row, moved.clientY);
  const drop = async () => {
    grip.removeEventListener("pointermove", move);
    row.classList.remove("taken");
    if (orderOf(list) === before) return;
    renumber(list);
    try {
      await keep(list, row);
    } catch {
      window.location.reload();
    }
  };
  grip.addEventListener("pointermove", move);
  grip.addEventListener("lostpointercapture", drop, { once: true });
}

for (const list of document.querySelectorAll("[data-order]")) {
  list.classList.add("js-order");
  list.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest(".grip");
    if (grip && event.button === 0) take(grip, event);
  });
}
