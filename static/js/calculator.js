/** The calculator with a pointer and a clipboard: files dropped, matrices pasted, and a file kept in this
 * tab while its owner signs in. All of it works without scripts too, if less comfortably.
 */

const KEPT = "calculator";

for (const element of document.querySelectorAll(".print")) element.hidden = false;

document.querySelector(".print")?.addEventListener("click", () => {
  for (const each of document.querySelectorAll("details.of-pair")) each.open = true;
  window.print();
});

/* A link into a section that is closed opens it. */
function openTarget() {
  const target = document.getElementById(window.location.hash.slice(1));
  if (target?.matches("details")) {
    target.open = true;
    target.scrollIntoView();
  }
}
window.addEventListener("hashchange", openTarget);
openTarget();

const labels = document.getElementById("labels");
if (labels) {
  const file = document.getElementById("file");
  const card = labels.closest(".card");
  for (const kind of ["dragenter", "dragover"]) {
    card.addEventListener(kind, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      card.classList.add("over");
    });
  }
  card.addEventListener("dragleave", (event) => {
    if (!card.contains(event.relatedTarget)) card.classList.remove("over");
  });
  card.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    card.classList.remove("over");
    file.files = event.dataTransfer.files;
    labels.requestSubmit(labels.querySelector("button[value=labels]"));
  });
}

const typed = document.querySelector(".typed");
if (typed) {
  const cell = (row, at) => document.getElementById(`n-${row}-${at}`);
  /* The heads of the columns follow the names of the rows. */
  typed.addEventListener("input", (event) => {
    const row = event.target.id.match(/^name-(\d+)$/)?.[1];
    if (row) typed.querySelector(`th[data-name="${row}"] bdi`).textContent = event.target.value;
  });
  /* A matrix from a spreadsheet fills the cells to the right and below, as far as there are any. */
  typed.addEventListener("paste", (event) => {
    const place = event.target.id.match(/^n-(\d+)-(\d+)$/);
    const rows = event.clipboardData.getData("text").trimEnd().split(/\r?\n/).map((row) => row.split("\t"));
    if (!place || (rows.length === 1 && rows[0].length === 1)) return;
    event.preventDefault();
    rows.forEach((row, down) => row.forEach((value, right) => {
      const input = cell(Number(place[1]) + down, Number(place[2]) + right);
      if (input) input.value = value.trim();
    }));
  });
  const size = document.getElementById("size");
  const resize = typed.querySelector(".resize");
  resize.hidden = true;
  size.addEventListener("change", () => typed.requestSubmit(resize));
}

/* Users who are not signed in go there without the file: it waits in this tab only. */
document.querySelector(".keep")?.addEventListener("click", (event) => {
  const again = document.getElementById("again");
  const kept = { carried: again.elements.carried.value, name: event.target.dataset.name };
  try {
    window.sessionStorage.setItem(KEPT, JSON.stringify(kept));
  } catch {
    /* Without room for it, the file is chosen once more. */
  }
});
