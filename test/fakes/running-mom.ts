/** A data directory that looks as if a mom ran on it in this process: its lock, and where its gateway listens. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildLayout } from "../../src/store/index.ts";
import { takeProcessLock } from "../../src/store/process-lock.ts";

export interface RunningMom {
  token: string;
  /** Undefined: it does not listen. `pid`: absent, this process. */
  listen(url: string | undefined, pid?: number): Promise<void>;
  /** As after its end. What it left of its gateway stays. */
  end(): void;
}

/** `startedAt`: absent, long ago. */
export async function pretendToRun(dataDir: string, startedAt = Date.UTC(2025, 0, 1)): Promise<RunningMom> {
  const layout = buildLayout(dataDir);
  await mkdir(layout.stateDir, { recursive: true });
  const lock = await takeProcessLock(layout, startedAt);
  const token = "a-token-for-tests-0123456789";
  await writeFile(join(layout.stateDir, "gateway-token"), `${token}\n`, { mode: 0o600 });
  const path = join(layout.stateDir, "gateway.json");
  return {
    token,
    async listen(url, pid = process.pid) {
      if (url === undefined) await rm(path, { force: true });
      else await writeFile(path, JSON.stringify({ url, pid }));
    },
    end: () => lock.release({ clean: true }),
  };
}
