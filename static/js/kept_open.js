/** Settings that a person opened stay open when their page is sent and comes back, or is swapped for a new one. */

const NAME = `interrater:open:${location.pathname}`;

const settings = () => document.querySelector("details[data-keep-open]");

function wasOpened() {
  try {
    return sessionStorage.getItem(NAME) !== null;
  } catch {
    return false;
  }
}

function keep(isOpen) {
  try {
    if (isOpen) sessionStorage.setItem(NAME, "");
    else sessionStorage.removeItem(NAME);
  } catch {
    // Where nothing is kept, they are as the server shows them.
  }
}

export function reopen() {
  if (wasOpened()) settings()?.setAttribute("open", "");
}

/* The click, also that of a key, comes before the change; a change alone may be the server's. */
document.addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  if (summary && summary.parentElement === settings()) keep(!settings().open);
});

reopen();
