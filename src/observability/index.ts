/** The face of the room: the log with its sinks, redaction, the stall monitor and the metrics. */
export { createFileSink } from "./file-sink.ts";
export { followLog, readLogTail } from "./log-file.ts";
export type { LogSink } from "./log-record.ts";
export { createLogger, type Logger } from "./logger.ts";
export { loggingConfig } from "./logging-config.ts";
export { parseLogLine } from "./parse-log-line.ts";
export { createRedactor } from "./redactor.ts";
export { createStallMonitor } from "./stall-monitor.ts";
export { createStreamSink } from "./stream-sink.ts";
