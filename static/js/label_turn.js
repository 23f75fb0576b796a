/** One thing at a time: what a person asks for, and what the page does by itself. */

import { shownId } from "./label_page.js";

let running = null;
let isOfPerson = false;

async function run(act, byPerson) {
  isOfPerson = byPerson;
  running = act();
  try {
    await running;
  } finally {
    running = null;
  }
}

const over = () => running.catch(() => {});

/** What a person asks for. While another such thing runs, it is a double click; what the page does by itself is waited for,
 * and if it brought another item, what was asked of the one before is not done to it.
 */
export async function alone(act) {
  const about = shownId();
  while (running && !isOfPerson) await over();
  if (!running && shownId() === about) await run(act, true);
}

/** What is asked for once, such as by a link: it waits for what runs. */
export async function inTurn(act) {
  while (running) await over();
  await run(act, true);
}

/** What the page does by itself, when nothing else runs. */
export async function behind(act) {
  while (running) await over();
  await run(act, false);
}
