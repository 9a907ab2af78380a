/** What tools of all turns share: threads, the web's cache, browsers, programs in the background. Loaded with the first turn that needs them. */
import { createAddressGuard } from "../base/address-guard.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ToolsConfig } from "./config.ts";
import { createTextWork, type TextWork } from "./fs/text-work.ts";
import { createImageWork, type ImageWork } from "./kit/image-work.ts";
import { type BackgroundRuns, createBackgroundRuns } from "./runtime/background-runs.ts";
import { type Browser, createBrowser } from "./ui/browser.ts";
import { createWebTools, type WebTools } from "./web/create-web-tools.ts";

export interface SharedParts {
  readonly runs: BackgroundRuns;
  readonly imageWork: ImageWork;
  readonly textWork: TextWork;
  readonly web: WebTools;
  readonly browser: Browser;
  /** Takes over an edited config; what it does not change goes on. */
  follow(config: SharedConfig): Promise<void>;
  close(): Promise<void>;
}

export type SharedConfig = Pick<ToolsConfig, "web" | "browser">;

export interface SharedDeps {
  clock: Clock;
  log: Log;
  /** Absolute. */
  stateDir: string;
  environment: Readonly<Record<string, string | undefined>>;
}

export function createSharedParts(deps: SharedDeps, config: SharedConfig): SharedParts {
  const { clock, log, stateDir, environment } = deps;
  const imageWork = createImageWork({ clock });
  const buildWeb = ({ web }: SharedConfig) => createWebTools({ clock, log, config: web, imageWork });
  const buildBrowser = ({ web, browser }: SharedConfig) => {
    const guard = createAddressGuard({ allow: web.allowPrivate });
    return createBrowser({ clock, log, guard, stateDir, environment }, browser);
  };
  const runs = createBackgroundRuns({ clock, log });
  const textWork = createTextWork({ clock });
  let current = config;
  let web = buildWeb(config);
  let browser = buildBrowser(config);
  return {
    runs,
    imageWork,
    textWork,
    get web() {
      return web;
    },
    get browser() {
      return browser;
    },
    async follow(next) {
      const before = { web, browser, config: current };
      current = next;
      const isSame = (key: keyof SharedConfig) => JSON.stringify(before.config[key]) === JSON.stringify(next[key]);
      if (!isSame("web")) {
        web = buildWeb(next);
        await before.web.close();
      }
      if (!isSame("web") || !isSame("browser")) {
        browser = buildBrowser(next);
        await before.browser.close();
      }
    },
    async close() {
      await Promise.all([runs.close(), imageWork.close(), textWork.close(), web.close(), browser.close()]);
    },
  };
}
