/** Where a session's programs run in docker mode: a container of mom's own, or one that the operator named. */
import type { ExecutorScope } from "../contracts/sandbox.ts";
import type { DockerEngine } from "./docker-engine.ts";

export interface ContainerLease {
  /** Name or id, as the engine takes it. */
  name: string;
  /** The container may be removed when nobody else uses it. Called once. */
  release(): void;
  /** Gives the container up because it does not do as it is told; the next lease gets another one if there can be one. */
  discard(): Promise<void>;
}

export interface ContainerPlace {
  /**
   * `cwd` is a real path on the host, and in the result the same folder inside. Throws `SANDBOX_UNAVAILABLE`, and what the
   * signal says when it is aborted.
   */
  enter(
    engine: DockerEngine,
    scope: ExecutorScope,
    cwd: string,
    signal: AbortSignal,
  ): Promise<{ lease: ContainerLease; cwd: string }>;
  close(): Promise<void>;
}
