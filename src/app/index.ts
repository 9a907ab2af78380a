/** The app's face: make one, and know its configuration. */
export type { GivenAdapter } from "./adapters.ts";
export { configSchema, defaultConfigText, type MomConfig } from "./config-schema.ts";
export { type App, type AppParts, createApp } from "./create-app.ts";
export { createExecutor } from "./create-executor.ts";
export { type CustomTools, findCustomTools, toNameSurroundings } from "./custom-tools.ts";
export { describeSession } from "./describe-session.ts";
export { explainTools, type ToolQuestion, type ToolsAnswer } from "./explain-tools.ts";
export { withWebchat } from "./gateway/webchat.ts";
export { examineMemory, openMemory } from "./open-memory.ts";
export { suggestRules } from "./suggest-rules.ts";
