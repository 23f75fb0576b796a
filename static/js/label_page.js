/** The item that is shown, and swapping it for another one without reloading the page. */

const PATIENCE = 10_000;

// The version of the codebook whose changes the rater has read here; the server sends what changed since.
export const codebook = { seen: 0 };

export const main = document.querySelector("main");
export const form = () => document.getElementById("answers");
let address = location.pathname;
const userOf = (page) => page.querySelector("[data-user]")?.dataset.user;
const owner = userOf(document);
export const shownAddress = () => address;
export const shownId = () => form()?.dataset.assignment ?? null;
/** There is something to look at and nothing to save: a closed round, or the reference after an answer. */
export const isFixed = () => !form() || "closed" in form().dataset;

export function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** What a request without an answer means: no connection, a server that takes its time, or one that cannot answer now. */
export function troubleOf(error) {
  if (error.name === "TimeoutError" || error.name === "AbortError") return "slow";
  return error instanceof TypeError ? "away" : "busy";
}

/** A labeling page, as {page, address, id, isEnd, token}; null if the server answers with anything else, or to somebody else. */
export async function fetched(address, more = {}) {
  const headers = { Accept: "text/html", "Codebook-Seen": `${codebook.seen}`, ...more.headers };
  const options = { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) };
  const answer = await fetch(address, { ...options, ...more, headers });
  if (answer.status >= 500) throw new Error(`${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const answers = page.getElementById("answers");
  const isEnd = !!page.querySelector("[data-nothing-left]");
  const isPage = answers || isEnd || page.querySelector("[data-reference], [data-start]");
  if (!answer.ok || userOf(page) !== owner || !isPage) return null;
  return {
    page,
    // What comes next says itself which item it is.
    address: answer.headers.get("Content-Location") ?? new URL(answer.url).pathname,
    id: answers?.dataset.assignment ?? null,
    codebook: Number(answers?.dataset.codebook ?? 0),
    isEnd,
    token: page.querySelector("[name=csrfmiddlewaretoken]")?.value,
  };
}

/** As `fetched`, of an address that leads nowhere else.
 *
 * Who is signed out is sent to sign in. That page is not asked for behind a person's back: the cookie that it may bring
 * would make void the form on which they sign in at this moment in another tab.
 */
export const fetchedInPlace = (address, more = {}) => fetched(address, { ...more, redirect: "manual" });

/** The page in its current state, with everything that was typed, to be shown again. */
export function kept() {
  const page = document.implementation.createHTMLDocument(document.title);
  page.body.append(page.importNode(main, true));
  return { page, address, id: shownId(), codebook: Number(form()?.dataset.codebook ?? 0) };
}

/** Show it. Messages stay, except those about the item that is replaced. */
export function swap({ page, address: next }) {
  address = next;
  if (address !== location.pathname) history.pushState(null, "", address);
  const messages = main.querySelector("[data-problem]");
  const found = document.importNode(page.querySelector("main"), true);
  const place = found.querySelector("[data-problem]");
  if (place) place.replaceWith(messages);
  else found.prepend(messages);
  main.className = found.className;
  main.replaceChildren(...found.childNodes);
  document.title = page.title;
  const heading = main.querySelector("[data-reference] h2") ?? main.querySelector("h1");
  heading.setAttribute("tabindex", "-1");
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  // For what makes single fields lively, such as pictures that can be zoomed.
  document.dispatchEvent(new Event("item-shown"));
}
