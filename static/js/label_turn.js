/** One thing at a time that a person asks for; what comes while it runs is a double click. */

let isRunning = false;

export const isBusy = () => isRunning;

export async function alone(act) {
  if (isRunning) return;
  isRunning = true;
  try {
    await act();
  } finally {
    isRunning = false;
  }
}
