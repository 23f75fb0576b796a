/** A filter acts as it is chosen: the figures are swapped, and the address follows; without scripts a button sends it. */

const form = document.querySelector("[data-filter]");
const shown = document.querySelector("[data-filter-result]");
let sending = null;

/* An address says only what was chosen. */
function asked() {
  const chosen = [...new FormData(form)].filter(([, value]) => value);
  const query = new URLSearchParams(chosen).toString();
  return window.location.pathname + (query ? `?${query}` : "");
}

async function show(address) {
  sending?.abort();
  sending = new AbortController();
  shown.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { signal: sending.signal, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-filter-result]");
    if (!fresh) return window.location.assign(address);
    shown.replaceChildren(...fresh.childNodes);
    shown.removeAttribute("aria-busy");
    return true;
  } catch (error) {
    if (error.name !== "AbortError") window.location.assign(address);
  }
}

form.addEventListener("change", async () => {
  const address = asked();
  if (await show(address)) window.history.pushState(null, "", address);
});

/* Back and forward: the boxes show what the address says. */
window.addEventListener("popstate", () => window.location.reload());
