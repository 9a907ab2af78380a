/** The agent loop, loaded with the first turn: it is most of mom's code by weight, and a start does not need it. */
export const loadAgentLoop = async () => (await import("./pi-loop.ts")).runPiLoop;
