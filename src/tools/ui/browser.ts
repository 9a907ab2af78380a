/** Holds the browsers of all agents. One per app; the browser tool of every turn works through it. */
import { rm } from "node:fs/promises";
import type { AddressGuard } from "../../base/address-guard.ts";
import { errorText, MomError, ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { type AgentBrowser, createAgentBrowser } from "./agent-browser.ts";
import type { BrowserConfig } from "./config.ts";
import { type LaunchDependencies, launchChromium } from "./launch-chromium.ts";
import { createTrialName } from "./profile-folder.ts";

export interface Browser {
  readonly guard: AddressGuard;
  readonly config: BrowserConfig;
  /** Made when first asked for; nothing is started by that. Throws `BROWSER_CLOSED` after `close`. */
  of(agentId: string): AgentBrowser;
  /** Starts a browser on an empty profile and ends it again (`mom doctor`). Takes a second or two. Never throws. */
  check(): Promise<{ ok: boolean; detail: string; hint?: string /** Of the error. */; code?: string }>;
  /** Ends every browser. */
  close(): Promise<void>;
}

export interface BrowserDependencies {
  clock: Clock;
  log: Log;
  guard: AddressGuard;
  /** Absolute. Profiles lie in `<stateDir>/browser/<agent>`. */
  stateDir: string;
  /** Of mom's process: `PATH`, language and screen are used. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Absent: this system's. */
  platform?: NodeJS.Platform;
  /** Absent: this process's. */
  uid?: number;
}

export function createBrowser(dependencies: BrowserDependencies, config: BrowserConfig): Browser {
  const { clock, guard } = dependencies;
  const log = dependencies.log.with({ tool: "browser" });
  const launching: LaunchDependencies = {
    ...dependencies,
    log,
    platform: dependencies.platform ?? process.platform,
    uid: dependencies.uid ?? process.getuid?.(),
  };
  const agents = new Map<string, AgentBrowser>();
  let isClosed = false;

  return {
    guard,
    config,
    of(agentId) {
      if (isClosed) throw new ToolError("BROWSER_CLOSED", "The browser was closed", { hint: "Mom is shutting down." });
      const launch = () => launchChromium(launching, config, agentId);
      const agent =
        agents.get(agentId) ??
        createAgentBrowser({ clock, log, launch, maxTabs: config.maxTabs, idleMs: config.idleMinutes * 60_000 });
      agents.set(agentId, agent);
      return agent;
    },
    async check() {
      const trial = createTrialName();
      try {
        const launched = await launchChromium(launching, config, trial);
        await launched.close();
        return describeLaunch(launched);
      } catch (error) {
        const hint = error instanceof MomError ? error.hint : undefined;
        const code = error instanceof MomError ? { code: error.code } : {};
        return { ok: false, detail: errorText(error), ...(hint === undefined ? {} : { hint }), ...code };
      } finally {
        await rm(`${launching.stateDir}/browser/${trial}`, { recursive: true, force: true });
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...agents.values()].map((agent) => agent.close()));
    },
  };
}

function describeLaunch({ program, version, uid, isSandboxed }: Awaited<ReturnType<typeof launchChromium>>) {
  const user = uid === undefined ? "mom's own user" : `user ${uid}, not root`;
  const detail = `Chromium ${version} (${program}), as ${user}, its own sandbox ${isSandboxed ? "on" : "off"}`;
  if (isSandboxed) return { ok: true, detail };
  const hint = "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1) so that its sandbox works.";
  return { ok: true, detail, hint };
}
