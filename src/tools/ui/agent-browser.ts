/**
 * The browser of one agent: started by the first call that needs it, shared by the agent's sessions (one set of cookies),
 * with pages that each session has for itself. Ends when nobody used it for a while; one that was killed is started anew.
 */
import type { Page } from "playwright-core";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { GuardProxy } from "./guard-proxy.ts";
import type { Launched } from "./launch-chromium.ts";
import { createSessionTabs, type SessionTabs } from "./session-tabs.ts";

/** What one call gets. */
export interface SessionBrowser {
  tabs: SessionTabs;
  proxy: GuardProxy;
}

export interface AgentBrowser {
  /**
   * Runs one call of a session. Starts the browser when it is not running; `work` gets the session's own pages. Throws as
   * `work` does, and when the browser cannot be started. The pages stay open for the next call.
   */
  use<T>(sessionKey: string, work: (browser: SessionBrowser) => Promise<T>): Promise<T>;
  /** The pages that a session has now, without starting anything. */
  peek(sessionKey: string): SessionTabs | undefined;
  close(): Promise<void>;
}

export interface AgentBrowserDependencies {
  clock: Clock;
  log: Log;
  launch(): Promise<Launched>;
  maxTabs: number;
  idleMs: number;
}

interface Running extends Launched {
  /** The blank page that every browser starts with: nobody's, it keeps the browser from ending with the last tab. */
  keeper: Page | undefined;
  sessions: Map<string, { tabs: SessionTabs; calls: number; cancelIdle: () => void }>;
}

export function createAgentBrowser({ clock, log, launch, maxTabs, idleMs }: AgentBrowserDependencies): AgentBrowser {
  let starting: Promise<Running> | undefined;
  let running: Running | undefined;
  let ending: Promise<void> = Promise.resolve();

  const start = async (): Promise<Running> => {
    // A profile has one browser: the old one must be gone first.
    await ending;
    const launched = await launch();
    const started: Running = { ...launched, keeper: launched.context.pages()[0], sessions: new Map() };
    launched.context.once("close", () => end(started));
    running = started;
    return started;
  };
  const end = (ended: Running) => {
    if (running !== ended) return;
    running = undefined;
    starting = undefined;
    for (const { cancelIdle } of ended.sessions.values()) cancelIdle();
    ending = ended.close().catch((error: unknown) => log.warn("the browser did not close in order", { error }));
  };
  const needRunning = async () => {
    starting ??= start().catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  };
  const leave = async (from: Running, sessionKey: string) => {
    const session = from.sessions.get(sessionKey);
    if (session === undefined || session.calls > 0) return;
    from.sessions.delete(sessionKey);
    await session.tabs.close("all");
    if (from.sessions.size === 0) end(from);
  };
  const enter = (to: Running, sessionKey: string) => {
    const { context, folder } = to;
    closeStrays(to);
    const session = to.sessions.get(sessionKey) ?? {
      tabs: createSessionTabs({ context, clock, maxTabs, downloadsFolder: folder.downloads }),
      calls: 0,
      cancelIdle: () => {},
    };
    to.sessions.set(sessionKey, session);
    session.cancelIdle();
    session.calls++;
    return session;
  };

  return {
    async use(sessionKey, work) {
      let used = await needRunning();
      // It may have ended while this call was on its way to it.
      while (used !== running) used = await needRunning();
      const session = enter(used, sessionKey);
      try {
        return await work({ tabs: session.tabs, proxy: used.proxy });
      } finally {
        session.calls--;
        if (used === running && session.calls === 0) {
          session.cancelIdle = clock.after(idleMs, () => void leave(used, sessionKey));
        }
      }
    },
    peek: (sessionKey) => running?.sessions.get(sessionKey)?.tabs,
    async close() {
      const started = await starting?.catch(() => undefined);
      if (started !== undefined) end(started);
      await ending;
    },
  };
}

/** A pop-up whose opener is gone belongs to no session. While calls run, a page may be nobody's only for a moment. */
function closeStrays({ context, keeper, sessions }: Running): void {
  const all = [...sessions.values()];
  if (all.some(({ calls }) => calls > 0)) return;
  const owned = new Set([keeper, ...all.flatMap(({ tabs }) => tabs.pages)]);
  for (const page of context.pages()) if (!owned.has(page)) page.close().catch(() => undefined);
}
