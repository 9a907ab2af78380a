/** The app's face: make one, and know its configuration. */
export type { GivenAdapter } from "./adapters.ts";
export { configSchema, defaultConfigText, type MomConfig } from "./config-schema.ts";
export { type App, type AppParts, createApp } from "./create-app.ts";
export { describeSession } from "./describe-session.ts";
