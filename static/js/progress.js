/** Follow a run: poll the page's progress, and swap the page's main part in when the run has ended. */

const SOON = 700;
const LATE = 5000;

async function fetched(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store", redirect: "error" });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

async function showResult() {
  const page = await fetched(window.location.href);
  const main = document.querySelector("main");
  main.replaceChildren(...page.querySelector("main").childNodes);
  document.title = page.title;
  announce(page.querySelector("h1")?.textContent ?? "Done");
  main.dispatchEvent(new CustomEvent("page:replaced", { bubbles: true }));
}

function announce(text) {
  let place = document.getElementById("announcement");
  if (!place) {
    place = document.createElement("p");
    place.id = "announcement";
    place.className = "unseen";
    place.setAttribute("role", "status");
    document.body.append(place);
  }
  place.textContent = text.trim();
}

/* The place stays in the document and only its children change: a live region that is itself replaced is not announced. */
async function step(place) {
  const partial = (await fetched(place.dataset.progress)).querySelector("[data-progress]");
  if (partial.dataset.state === place.dataset.state && partial.innerHTML === place.innerHTML) return false;
  place.dataset.state = partial.dataset.state;
  place.replaceChildren(...partial.childNodes);
  return true;
}

function hasEnded(place) {
  return !["queued", "running"].includes(place.dataset.state);
}

async function follow(place) {
  let wait = SOON;
  while (place.isConnected && !hasEnded(place)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      const moved = await step(place);
      wait = moved ? SOON : Math.min(wait * 1.3, LATE);
    } catch {
      // The server is away or the session has ended: keep trying, slower; the refresh link is still there.
      wait = Math.min(wait * 2, 4 * LATE);
    }
  }
  if (place.isConnected) await showResult().catch(() => window.location.reload());
}

for (const place of document.querySelectorAll("[data-progress]")) {
  if (!hasEnded(place)) follow(place);
}
