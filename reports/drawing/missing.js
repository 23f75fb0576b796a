// What the library takes for granted and the engine does not have.
globalThis.structuredClone = value => value === undefined ? value : JSON.parse(JSON.stringify(value));
globalThis.setInterval = () => { throw new Error("A picture is drawn once."); };
// Vega looks every 10 ms whether its links are ready. Nothing here takes longer than what is waiting already.
globalThis.setTimeout = act => { Promise.resolve().then(act); };
