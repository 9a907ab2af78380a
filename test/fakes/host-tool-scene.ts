/** Custom tools as real files in a folder of their own, with the host that loads them and the model's door to them. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSystemClock } from "../../src/base/clock.ts";
import { customToolRoots } from "../../src/tools/host/find-tools.ts";
import { createHostTools, type HostTools, type HostToolsDeps } from "../../src/tools/host/host-tools.ts";
import { createInvokeTool } from "../../src/tools/host/invoke-tool.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { silentLog } from "./log.ts";

export interface HostToolScene {
  base: string;
  /** In `base`, with `tools` and `workspace`; the agent can write the latter. `home` lies beside it. */
  dataDir: string;
  clock: FakeClock;
  hostTools: HostTools;
  /** `path` is relative to `base`; the result is absolute. */
  write(path: string, text: string): Promise<string>;
  /** Looks again, some time after the last look. */
  refresh(): Promise<void>;
  names(): string[];
  problems(): string[];
  /** Through the door: the text of the answer. */
  invoke(tool: string, args?: Record<string, unknown>, timeoutMs?: number): Promise<string>;
  close(): Promise<void>;
}

export async function createHostToolScene(more: Partial<HostToolsDeps> = {}): Promise<HostToolScene> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "mom-host-tools-")));
  const dataDir = join(base, "data");
  await mkdir(join(dataDir, "workspace"), { recursive: true });
  const clock = createFakeClock();
  const hostTools = createHostTools({
    dataDir,
    closedPaths: [join(dataDir, "config.json"), join(dataDir, "state")],
    roots: customToolRoots(dataDir, join(base, "home")),
    agentFolders: () => [join(dataDir, "workspace")],
    isTaken: (name) => name === "bash",
    isDisabled: () => false,
    clock,
    log: silentLog,
    exec: async ({ command }) => ({
      exitCode: 0,
      stdout: "argv" in command ? command.argv.join("|") : "",
      stderr: "",
      ended: "exit",
      durationMs: 0,
    }),
    ...more,
  });
  return {
    base,
    dataDir,
    clock,
    hostTools,
    async write(path, text) {
      const file = join(base, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { mode: 0o644 });
      return file;
    },
    async refresh() {
      await clock.advance(1001);
      await hostTools.refresh();
    },
    names: () => hostTools.list().map(({ name }) => name),
    problems: () => hostTools.problems().map(({ message }) => message),
    async invoke(tool, args = {}, timeoutMs = 5000) {
      const door = createInvokeTool({ hostTools, clock: createSystemClock(), timeoutMs });
      const { content } = await door.execute("call-1", { tool, args }, new AbortController().signal, () => undefined);
      return content.map((part) => (part.type === "text" ? part.text : part.mimeType)).join("\n");
    },
    async close() {
      await hostTools.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** A tool that answers with one text of the house's own; `more` are further members of it. */
export const plainTool = (name: string, answer: string, more = "") =>
  `export default { name: "${name}", description: "Says it.", parameters: { type: "object", properties: {} },
     outside: false, execute: async () => ${JSON.stringify(answer)}, ${more} };`;
