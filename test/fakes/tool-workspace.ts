/** A workspace for tool tests: a real folder, the real host executor, one hidden folder. Gone after the test. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { createSystemClock } from "../../src/base/clock.ts";
import type { Executor, Operations } from "../../src/contracts/sandbox.ts";
import type { ToolResult } from "../../src/contracts/tool.ts";
import { createHostExecutor, loadPrograms } from "../../src/sandbox/index.ts";
import { silentLog } from "./log.ts";

export interface ToolWorkspace {
  /** Absolute, links followed. */
  dir: string;
  /** Absolute; its files are closed to tools. */
  hiddenDir: string;
  executor: Executor;
  operations: Operations;
  put(path: string, data: string | Uint8Array): Promise<void>;
  get(path: string): Promise<string>;
}

export async function createToolWorkspace(test: TestContext): Promise<ToolWorkspace> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mom-tools-")));
  const hiddenDir = join(dir, "state");
  const executor = createHostExecutor({
    clock: createSystemClock(),
    log: silentLog,
    programs: await loadPrograms(),
    environment: process.env,
  });
  test.after(async () => {
    await executor.close();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    dir,
    hiddenDir,
    executor,
    operations: executor.open({ cwd: dir, roots: [dir], hidden: [hiddenDir] }),
    async put(path, data) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), data);
    },
    get: (path) => readFile(join(dir, path), "utf8"),
  };
}

/** The text of a result, its parts joined. */
export function textOf(result: Pick<ToolResult, "content">): string {
  return result.content.map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`)).join("\n");
}
