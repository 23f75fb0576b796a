/* A wide table scrolls by itself, also with the keyboard. */
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".table-wrapper, div.highlight pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
