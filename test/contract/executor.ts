/**
 * What every executor must do, whatever confines it: the same suite runs on host, bwrap and docker. Real files, real
 * programs, real time: the waits are for conditions, bounded by the test runner.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ExecutorScope } from "../../src/contracts/sandbox.ts";
import { fileTests } from "./executor-files.ts";
import { programTests, treeTests } from "./executor-programs.ts";
import { type CreateExecutor, createExecutorScene } from "./executor-scene.ts";
import { startTests } from "./executor-start.ts";

export interface ExecutorTraits {
  /** Why it cannot be tried here. */
  skip?: string | false;
  /** What its scopes need beside. */
  scope?: Partial<ExecutorScope>;
}

export function executorContract(name: string, createExecutor: CreateExecutor, traits: ExecutorTraits = {}): void {
  describe(`executor contract: ${name}`, { timeout: 120_000, skip: traits.skip ?? false }, () => {
    const scene = createExecutorScene(createExecutor, traits.scope);

    it("says that it can run here", async () => {
      const { ok, detail } = await scene.executor.check();
      assert.equal(ok, true, detail);
    });
    programTests(scene);
    treeTests(scene);
    startTests(scene);
    fileTests(scene);
  });
}
