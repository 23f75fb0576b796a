// What the library takes for granted and the engine does not have.
globalThis.structuredClone = value => value === undefined ? value : JSON.parse(JSON.stringify(value));
globalThis.setInterval = () => { throw new Error("A picture is drawn once."); };
// Vega looks every 10 ms whether its links are ready. Nothing is waited for here but what already stands in the queue,
// so that the end of the queue is soon enough.
const TURNS = 100;
globalThis.setTimeout = async act => {
  for (let turn = 0; turn < TURNS; turn += 1) await null;
  act();
};
