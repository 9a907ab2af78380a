/** The browser tool on a real Chromium, with a real workspace and a site called `site.test`. Tests end it with `close`. */
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAddressGuard, type ResolveHost } from "../../src/base/address-guard.ts";
import { createSystemClock } from "../../src/base/clock.ts";
import type { Clock } from "../../src/contracts/clock.ts";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { ToolResult } from "../../src/contracts/tool.ts";
import { createHostExecutor, loadPrograms } from "../../src/sandbox/index.ts";
import { type Browser, createBrowser } from "../../src/tools/ui/browser.ts";
import type { BrowserParams } from "../../src/tools/ui/browser-params.ts";
import { createBrowserTool } from "../../src/tools/ui/browser-tool.ts";
import { browserConfig } from "../../src/tools/ui/config.ts";
import { findChromium } from "../../src/tools/ui/find-chromium.ts";
import { silentLog } from "./log.ts";
import { textOf } from "./tool-workspace.ts";

/** False, or why tests with a browser are left out. */
export const noChromium: false | string = await findChromium({
  executablePath: undefined,
  path: process.env["PATH"] ?? "",
  platform: process.platform,
}).then(
  () => false as const,
  () => "Chromium is not installed (apt-get install chromium)",
);

export interface BrowserStage {
  browser: Browser;
  /** Absolute. */
  workspace: string;
  stateDir: string;
  clock: Clock;
  tool(session?: string): ReturnType<typeof createBrowserTool>;
  run(params: BrowserParams, session?: string, signal?: AbortSignal): Promise<ToolResult>;
  /** The text of the answer. */
  say(params: BrowserParams, session?: string): Promise<string>;
  /** The ref of the first line in the current snapshot that has this text. */
  refOf(text: string, session?: string): Promise<string>;
  close(): Promise<void>;
}

export interface StageOptions {
  /** What the address guard lets through. */
  allow: string[];
  config?: Record<string, unknown>;
  clock?: Clock;
  resolve?: ResolveHost;
  stateDir?: string;
  environment?: Record<string, string | undefined>;
}

export async function createBrowserStage(options: StageOptions): Promise<BrowserStage> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mom-browser-")));
  const workspace = join(dir, "workspace");
  await mkdir(workspace);
  const clock = options.clock ?? createSystemClock();
  const environment = options.environment ?? process.env;
  const executor = createHostExecutor({
    clock: createSystemClock(),
    log: silentLog,
    programs: await loadPrograms(),
    environment,
  });
  const operations = executor.open({ cwd: workspace, roots: [workspace], hidden: [] });
  const resolve = options.resolve ?? (async () => [{ address: "127.0.0.1", family: 4 }]);
  const guard = createAddressGuard({ resolve, allow: options.allow });
  const stateDir = options.stateDir ?? join(dir, "state");
  const browser = createBrowser(
    { clock, log: silentLog, guard, stateDir, environment },
    browserConfig.parse({ timeoutSeconds: 15, ...options.config }),
  );
  const tool = (session = "a") =>
    createBrowserTool(browser, operations, {
      scope: { session: { sessionKey: session as SessionKey, agentId: "main" } },
      scratchFolder: "scratch",
      clock,
    });
  const run: BrowserStage["run"] = (params, session, signal = new AbortController().signal) =>
    tool(session).execute("call", params, signal, () => undefined);
  const say: BrowserStage["say"] = async (params, session) => textOf(await run(params, session));
  return {
    browser,
    workspace,
    stateDir,
    clock,
    tool,
    run,
    say,
    async refOf(text, session) {
      const lines = (await say({ action: "snapshot" }, session)).split("\n");
      const ref = /\[ref=(\w+)\]/.exec(lines.find((line) => line.includes(text) && line.includes("[ref=")) ?? "")?.[1];
      if (ref === undefined) throw new Error(`no element "${text}" in\n${lines.join("\n")}`);
      return ref;
    },
    async close() {
      await browser.close();
      await executor.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
