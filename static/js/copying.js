/** Buttons that copy a text of the page: data-copies names the element, whose children are the paragraphs. */

for (const each of document.querySelectorAll(".copying")) each.hidden = false;

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const said = button.parentElement.querySelector("[role=status]");
    const paragraphs = document.getElementById(button.dataset.copies).children;
    try {
      await navigator.clipboard.writeText([...paragraphs].map((each) => each.innerText).join("\n\n"));
      said.textContent = "Copied.";
    } catch {
      said.textContent = "Your browser did not allow copying. Select the text instead.";
    }
  });
}
