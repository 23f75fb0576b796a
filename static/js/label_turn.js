/** One thing at a time that a person asks for; what comes while it runs is a double click. */

let running = null;

export async function alone(act) {
  if (running) return;
  running = act();
  try {
    await running;
  } finally {
    running = null;
  }
}

/** What is asked for once, such as by a link: it waits for what runs. */
export async function inTurn(act) {
  while (running) await running;
  await alone(act);
}
