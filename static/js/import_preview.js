/** The preview of an import follows each choice: it is sent at once, and the page's main part swapped for the answer. */

let sending = null;

async function update(form) {
  sending?.abort();
  sending = new AbortController();
  const focused = document.activeElement?.id;
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action || window.location.href, {
      method: "POST", body: new FormData(form), signal: sending.signal, headers: { Accept: "text/html" },
    });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("#understood");
    if (!fresh) return form.submit();
    form.replaceWith(fresh);
    if (focused) document.getElementById(focused)?.focus();
  } catch (error) {
    if (error.name !== "AbortError") form.submit();
  }
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("#understood");
  if (form) update(form);
});
