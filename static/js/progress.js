/** Follow a run: poll the page's progress, and swap the page's main part in when the run has ended. */

const SOON = 700;
const LATE = 5000;

async function fetched(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return [new DOMParser().parseFromString(await answer.text(), "text/html"), answer.url];
}

/* The report of one question leads on to that question: the address follows, so that relative links hold. */
async function showResult() {
  const [page, address] = await fetched(window.location.href);
  const main = document.querySelector("main");
  const heading = page.querySelector("h1").textContent;
  history.replaceState(null, "", address);
  main.className = page.querySelector("main").className;
  main.replaceChildren(...page.querySelector("main").childNodes);
  document.title = page.title;
  announce(heading);
  main.dispatchEvent(new CustomEvent("page:replaced", { bubbles: true }));
}

/* A live region is only read out when it was there before its text: it is made at once, and empty. */
const announcement = document.createElement("p");
announcement.className = "visually-hidden";
announcement.setAttribute("role", "status");
document.body.append(announcement);

function announce(text) {
  announcement.textContent = text.trim();
}

/* Only a change of state is read out: the share done changes too often to listen to. */
async function step(place) {
  const [page] = await fetched(place.dataset.progress);
  const partial = page.querySelector("[data-progress]");
  if (partial.dataset.state === place.dataset.state && partial.innerHTML === place.innerHTML) return false;
  const isNews = partial.dataset.state !== place.dataset.state;
  place.dataset.state = partial.dataset.state;
  place.replaceChildren(...partial.childNodes);
  if (isNews) announce(place.querySelector(".now").textContent);
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
