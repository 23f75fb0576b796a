/** Only an error has a severity: while the given label is right, none can be chosen. */

function update(form) {
  const severity = form.elements.severity;
  severity.disabled = form.elements.verdict.value === "right";
  if (severity.disabled) severity.value = "";
}

for (const form of document.querySelectorAll("[data-review]")) {
  update(form);
  form.addEventListener("change", () => update(form));
}
