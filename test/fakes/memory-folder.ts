/** A folder for tests with thousands of commits: in memory where the system has that, for they are not about power cuts. */
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** Absolute; gone after the test. */
export async function createMemoryFolder(context: TestContext): Promise<string> {
  const dir = await realpath(await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "mom-test-")));
  context.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
