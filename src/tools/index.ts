/** The tools room: what the model may do, behind one gate. Its face to the composition root. */
export { checkToolNames } from "./check-names.ts";
export { toolsConfig } from "./config.ts";
export { createToolbox } from "./toolbox.ts";
