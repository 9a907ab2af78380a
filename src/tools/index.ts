/** The tools room: what the model may do, behind one gate. Its face to the composition root. */
export { checkToolNames } from "./check-names.ts";
export { agentToolsConfig, toolsConfig } from "./config.ts";
export { parseStandingOrder } from "./policy/parse-standing-order.ts";
export { createToolbox, type ToolFolders } from "./toolbox.ts";
