/** Automation's face: sources of messages that are not people. */
export { createScheduler } from "./scheduler.ts";
