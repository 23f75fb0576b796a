/** The panel next to the questions, shown and hidden by a key: the focus stays where it is, so Enter still saves. */

/* For those who do not see it. */
function speak(words) {
  let place = document.querySelector("[data-spoken]");
  if (!place) {
    place = document.createElement("p");
    place.className = "visually-hidden";
    place.dataset.spoken = "";
    place.setAttribute("role", "status");
    document.body.append(place);
  }
  place.textContent = words;
}

export function toggle(id) {
  const place = document.getElementById(id);
  if (!place) return;
  place.open = !place.open;
  if (place.open) place.scrollIntoView({ block: "nearest" });
  const name = place.querySelector("summary").firstChild.textContent.trim();
  speak(`${name} ${place.open ? "shown" : "hidden"}`);
}

/** Whether there was something to close: the list of keys. */
export function closeKeys() {
  const place = document.getElementById("keys");
  if (!place?.open) return false;
  toggle("keys");
  return true;
}
