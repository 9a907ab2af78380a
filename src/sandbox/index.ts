/** The sandbox room: where tools touch the machine. Its face to the composition root. */
export { createBwrapExecutor } from "./bwrap-executor.ts";
export { loadPrograms } from "./catalog.ts";
export { pickSandboxMode, type SandboxConfig, sandboxConfig } from "./config.ts";
export { createDockerExecutor } from "./docker-executor.ts";
export { createHostExecutor } from "./host-executor.ts";
