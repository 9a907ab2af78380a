/** The tools room: what the model may do, behind one gate. Its face to the composition root. */
export { suggestRules } from "./approvals/allow-list.ts";
export { pickExecPolicy, securityConfig } from "./approvals/config.ts";
export { type ApprovalDesk, createApprovalDesk } from "./approvals/create-approval-desk.ts";
export { createProgramFinder } from "./approvals/find-program.ts";
export { checkToolNames } from "./check-names.ts";
export { agentToolsConfig, toolsConfig } from "./config.ts";
export { customToolRoots, findTools, type ToolProblem } from "./host/find-tools.ts";
export { createHostTools, type HostTools, type KnownTool } from "./host/host-tools.ts";
export { isCustomToolName } from "./host/parse-tool.ts";
export type { ChatDirectory } from "./kit/chat-directory.ts";
export { type ListedTool, listTools } from "./list-tools.ts";
export type { AskModel } from "./media/describe-image.ts";
export { isListed, isOwnName } from "./policy/is-listed.ts";
export { parseStandingOrder } from "./policy/parse-standing-order.ts";
export { isToolName } from "./policy/tool-names.ts";
export { checkBrowser, createSharedTools } from "./shared-tools.ts";
export { createToolbox, type ToolboxDependencies, type ToolFolders, toChannelTool } from "./toolbox.ts";
