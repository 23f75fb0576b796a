/** Buttons that copy a text of the page: data-copies names a field, or an element whose children are the paragraphs. */

for (const each of document.querySelectorAll(".copying")) each.hidden = false;

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const status = button.parentElement.querySelector("[role=status]");
    const copied = document.getElementById(button.dataset.copies);
    try {
      const text = copied.value ?? [...copied.children].map((each) => each.innerText).join("\n\n");
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied.";
    } catch {
      status.textContent = "Your browser did not allow copying. Select the text instead.";
    }
  });
}
