/** The face of the config room: text → typed config, live edits with rollback, edits of the text, views of the schema. */
export { saveConfigText } from "./config-files.ts";
export { parseConfigPath, valueAt } from "./config-path.ts";
export { createConfigSource } from "./config-source.ts";
export { type EditedConfig, editConfig, editConfigAsWritten, editConfigAtOnce } from "./edit-config.ts";
export { toJsonSchema } from "./json-schema.ts";
export { buildInvalidError, loadConfig, toParseDeps } from "./load-config.ts";
export { parseConfig } from "./parse-config.ts";
export { type ConfigProblem, type ConfigWarning, formatProblems } from "./problem.ts";
export { redactConfig } from "./redact-config.ts";
export { listWrittenSecrets, redactWritten } from "./redact-written.ts";
export { secret } from "./secret.ts";
