/** Arrow keys move through a table of linked cells; one cell at a time is in the tab order (roving tabindex). */

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/* Tables do not change under a reader, and of 200 raters there are 40,000 cells. */
const grids = new WeakMap();
const roving = new WeakMap();

/* Columns are counted with the cells that earlier rows span, so that up and down stay in their column. */
function gridOf(table) {
  if (!grids.has(table)) grids.set(table, gridIn(table));
  return grids.get(table);
}

function gridIn(table) {
  const grid = [];
  [...table.rows].forEach((row, y) => {
    let x = 0;
    grid[y] ??= [];
    for (const cell of row.cells) {
      while (grid[y][x]) x += 1;
      for (let down = 0; down < cell.rowSpan; down += 1) {
        grid[y + down] ??= [];
        for (let right = 0; right < cell.colSpan; right += 1) grid[y + down][x + right] = cell;
      }
      x += cell.colSpan;
    }
  });
  return grid;
}

function linkIn(cell) {
  return cell?.matches("td") ? cell.querySelector("a") : null;
}

/* The next linked cell in this direction; cells without a link, such as the diagonal, are passed over. */
function next(grid, [y, x], [down, right]) {
  for (let step = 1; grid[y + step * down]?.[x + step * right]; step += 1) {
    const link = linkIn(grid[y + step * down][x + step * right]);
    if (link) return link;
  }
  return null;
}

function ends(grid, [y, x], key) {
  const row = grid[y].map(linkIn).filter(Boolean);
  return key === "Home" ? row[0] : row[row.length - 1];
}

function placeOf(grid, cell) {
  const y = cell.parentElement.rowIndex;
  return [y, grid[y].indexOf(cell)];
}

function tabTo(cell, index) {
  for (const link of cell.querySelectorAll("a")) link.tabIndex = index;
}

/* All links of a cell are in the tab order or none: the first is the way to the cell, Tab leads to the others. */
function rove(table, link) {
  const before = roving.get(table);
  const cell = link.closest("td");
  if (before === cell) return;
  if (before) tabTo(before, -1);
  // Only now: of 200 raters there are 40,000 links, and nobody may want one.
  else for (const each of table.querySelectorAll("td a")) each.tabIndex = -1;
  tabTo(cell, 0);
  roving.set(table, cell);
}

document.addEventListener("keydown", (event) => {
  const link = event.target.closest?.("[data-matrix] td a");
  if (!link || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const table = link.closest("[data-matrix]");
  const grid = gridOf(table);
  const place = placeOf(grid, link.closest("td"));
  let to = null;
  if (MOVES[event.key]) to = next(grid, place, MOVES[event.key]);
  else if (event.key === "Home" || event.key === "End") to = ends(grid, place, event.key);
  else return;
  event.preventDefault();
  if (!to) return;
  rove(table, to);
  to.focus();
});

document.addEventListener("focusin", (event) => {
  const link = event.target.closest?.("[data-matrix] td a");
  if (link) rove(link.closest("[data-matrix]"), link);
});

/* A heat map shows no values: those of the cell under the pointer, or with the focus, are above it. */
function tell(event) {
  const link = event.target.closest?.("table.heat td a");
  if (!link) return;
  const cell = link.closest("td");
  const table = link.closest("table");
  const details = table.closest(".card")?.querySelector("[data-matrix-details]");
  const [y, x] = placeOf(gridOf(table), cell);
  const names = [table.rows[y].cells[0], table.rows[0].cells[x]].map((head) => head.title || head.textContent);
  // "0.64–0.87, n 72", where the page has it.
  const more = link.title ? ` (${link.title})` : "";
  if (details && !cell.matches(".mean")) details.textContent = `${names.join(" × ")}: ${link.textContent}${more}`;
}

document.addEventListener("pointerover", tell);
document.addEventListener("focusin", tell);

function start() {
  for (const table of document.querySelectorAll("[data-matrix]")) {
    // Only where arrow keys work may a screen reader leave them to the page.
    if (table.dataset.matrix === "grid") table.setAttribute("role", "grid");
  }
}

document.addEventListener("page:replaced", start);
start();
