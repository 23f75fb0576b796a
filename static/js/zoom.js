/** An image of an item, as large as one likes: by click or tap, by + and −; without scripts its link opens it alone. */

const STEP = 1.5;
const MOST = 12;
// Those who type by voice turn single keys off, on the labeling page.
const CHOICE = "interrater:kept-keys";

let link = null;
let scale = 1;

const dialog = document.createElement("dialog");
dialog.className = "zoomed";
dialog.dataset.ownKeys = "";
dialog.innerHTML = `
  <div class="actions">
    <b></b>
    <button type="button" class="button" data-zoom-by="out" aria-keyshortcuts="-">Zoom out <kbd aria-hidden="true">−</kbd></button>
    <button type="button" class="button" data-zoom-by="in" aria-keyshortcuts="+">Zoom in <kbd aria-hidden="true">+</kbd></button>
    <button type="button" class="button" data-zoom-by="fit" aria-keyshortcuts="0">Fit <kbd aria-hidden="true">0</kbd></button>
    <button type="button" class="button" data-zoom-by="close">Close <kbd aria-hidden="true">Esc</kbd></button>
    <span class="visually-hidden" role="status"></span>
  </div>
  <div class="sheet" tabindex="0" role="region"><img alt=""></div>`;
document.body.append(dialog);
const sheet = dialog.querySelector(".sheet");
const image = dialog.querySelector("img");

/* The width at which the whole image is seen. */
function fitting() {
  const [width, height] = [Number(image.getAttribute("width")), Number(image.getAttribute("height"))];
  return Math.min(sheet.clientWidth, (sheet.clientHeight * width) / height);
}

/* Keeps what is at the given place of the sheet where it is. */
function resize(wanted, { x = sheet.clientWidth / 2, y = sheet.clientHeight / 2 } = {}) {
  const before = image.getBoundingClientRect();
  const box = sheet.getBoundingClientRect();
  const across = (box.left + x - before.left) / (before.width || 1);
  const down = (box.top + y - before.top) / (before.height || 1);
  scale = Math.min(MOST, Math.max(1, wanted));
  image.style.width = `${fitting() * scale}px`;
  const after = image.getBoundingClientRect();
  sheet.scrollLeft += after.left + across * after.width - (box.left + x);
  sheet.scrollTop += after.top + down * after.height - (box.top + y);
  sheet.classList.toggle("larger", scale > 1);
  dialog.querySelector("[role=status]").textContent = `${Math.round(scale * 100)}%`;
}

function open(opened) {
  link = opened;
  const shown = link.querySelector("img");
  for (const name of ["src", "alt", "width", "height"]) image.setAttribute(name, shown.getAttribute(name));
  dialog.setAttribute("aria-label", `${shown.alt}, enlarged`);
  sheet.setAttribute("aria-label", `${shown.alt}; use the arrow keys to pan`);
  dialog.querySelector("b").textContent = shown.alt;
  dialog.showModal();
  resize(1);
  sheet.focus();
}

const ACTIONS = {
  in: () => resize(scale * STEP),
  out: () => resize(scale / STEP),
  fit: () => resize(1),
  close: () => dialog.close(),
};
const KEYS = { "+": "in", "=": "in", "-": "out", "−": "out", 0: "fit" };

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (dialog.open) {
    if (!KEYS[event.key]) return;
    event.preventDefault();
    ACTIONS[KEYS[event.key]]();
  } else if (event.key === "+" && !event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])")) {
    const first = event.target.closest("[data-zoom]") ?? document.querySelector("main [data-zoom]");
    if (!first || localStorage.getItem(CHOICE) === "off") return;
    event.preventDefault();
    open(first);
  }
}

/* The mouse pulls what is larger than the sheet; fingers scroll it by themselves. */
function pull(event) {
  if (event.pointerType !== "mouse" || event.button !== 0) return;
  event.preventDefault();
  sheet.focus();
  const from = { x: event.clientX, y: event.clientY, left: sheet.scrollLeft, top: sheet.scrollTop };
  let isPulled = false;
  sheet.setPointerCapture(event.pointerId);
  const move = ({ clientX, clientY }) => {
    isPulled ||= Math.hypot(clientX - from.x, clientY - from.y) > 4;
    sheet.scrollLeft = from.left + from.x - clientX;
    sheet.scrollTop = from.top + from.y - clientY;
  };
  const drop = () => {
    sheet.removeEventListener("pointermove", move);
    if (!isPulled) toggle(from);
  };
  sheet.addEventListener("pointermove", move);
  sheet.addEventListener("lostpointercapture", drop, { once: true });
}

/* As a whole, or larger around the place that was clicked. */
function toggle({ x, y }) {
  const box = sheet.getBoundingClientRect();
  const natural = Number(image.getAttribute("width")) / fitting();
  resize(scale > 1 ? 1 : Math.max(2, natural), { x: x - box.left, y: y - box.top });
}

sheet.addEventListener("pointerdown", pull);
sheet.addEventListener("click", (event) => {
  // A tap; a click of the mouse has ended its pull before.
  if (event.pointerType && event.pointerType !== "mouse") toggle({ x: event.clientX, y: event.clientY });
});
dialog.addEventListener("click", (event) => {
  const action = event.target.closest("[data-zoom-by]");
  if (action) ACTIONS[action.dataset.zoomBy]();
});
dialog.addEventListener("close", () => link?.focus());
window.addEventListener("resize", () => dialog.open && resize(scale));
document.addEventListener("keydown", press);
document.addEventListener("click", (event) => {
  const opened = event.target.closest("[data-zoom]");
  if (!opened || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(opened);
});
