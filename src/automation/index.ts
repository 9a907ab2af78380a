/** Automation's face: sources of messages that are not people. */
export { cronConfig } from "./cron/config.ts";
export { createCronService } from "./cron/create-cron-service.ts";
export { createJobBook, type JobBook } from "./cron/job-book.ts";
export { checkEvents } from "./events/check-events.ts";
export { eventsConfig } from "./events/config.ts";
export { createEventFiles, type EventFiles } from "./events/create-event-files.ts";
export type { EventRoot } from "./events/event-item.ts";
export { eventsDoc } from "./events/events-doc.ts";
export { agentHeartbeatConfig, heartbeatConfig, pickHeartbeat } from "./heartbeat/config.ts";
export { createHeartbeat, type Heartbeat } from "./heartbeat/create-heartbeat.ts";
export { checkHooks } from "./hooks/check-hooks.ts";
export { hooksConfig } from "./hooks/config.ts";
export { createHooks } from "./hooks/lifecycle.ts";
export { createWebhooks } from "./hooks/webhooks.ts";
export { checkSchedule, listTimes } from "./recurrence/index.ts";
export { createScheduler } from "./scheduler.ts";
