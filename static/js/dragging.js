/** Rows of a list that follow the pointer from their grips to another place. */

function moveTo(list, row, y) {
  const after = [...list.children].find((other) => {
    if (other === row) return false;
    const box = other.getBoundingClientRect();
    return y < box.top + box.height / 2;
  });
  if (after !== row.nextElementSibling) list.insertBefore(row, after ?? null);
}

/** Hold the row until the pointer lets go; `moved` is called if it is at another place then. */
export function take(grip, event, moved) {
  const row = grip.closest("li");
  const list = row.parentElement;
  const before = [...list.children].indexOf(row);
  event.preventDefault();
  // The list holds the pointer: a row that is put elsewhere would let go of it.
  list.setPointerCapture(event.pointerId);
  row.classList.add("taken");
  const move = (pointed) => moveTo(list, row, pointed.clientY);
  const drop = () => {
    list.removeEventListener("pointermove", move);
    row.classList.remove("taken");
    if ([...list.children].indexOf(row) !== before) moved(list, row);
  };
  list.addEventListener("pointermove", move);
  list.addEventListener("lostpointercapture", drop, { once: true });
}
