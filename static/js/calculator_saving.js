/** The file that the calculator left in this tab, so that it need not be chosen once more after signing in. */

const KEPT = "calculator";
const form = document.getElementById("save");

function kept() {
  try {
    return JSON.parse(window.sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

const found = kept();
if (form && found?.carried && !form.elements.carried.value) {
  form.elements.carried.value = found.carried;
  const brought = form.querySelector(".brought");
  brought.hidden = false;
  brought.querySelector("bdi").textContent = found.name;
  form.querySelector(".chosen")?.remove();
}
form?.addEventListener("submit", () => window.sessionStorage.removeItem(KEPT));
