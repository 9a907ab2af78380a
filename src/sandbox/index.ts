/** The sandbox room: where tools touch the machine. Its face to the composition root. */
export { loadPrograms } from "./catalog.ts";
export { sandboxConfig } from "./config.ts";
export { createHostExecutor } from "./host-executor.ts";
