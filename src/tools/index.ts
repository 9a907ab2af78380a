/** The tools room: what the model may do, behind one gate. Its face to the composition root. */
export { toolsConfig } from "./config.ts";
export { createToolbox } from "./toolbox.ts";
