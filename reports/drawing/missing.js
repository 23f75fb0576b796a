// What the library takes for granted and the engine does not have.
globalThis.structuredClone = value => value === undefined ? value : JSON.parse(JSON.stringify(value));
globalThis.setInterval = () => { throw new Error("A picture is drawn once."); };
