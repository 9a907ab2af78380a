/** The face of recurrence: when something is due, and whether that can be taken at all. */
export { checkSchedule } from "./check-schedule.ts";
export { listTimes, nextTimeOf } from "./times.ts";
