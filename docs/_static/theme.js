/* Before the page is drawn: light or dark as chosen last time, else as the system has it. */
document.body.dataset.theme = localStorage.getItem("theme") || "auto";
