/** `browser`: one session's hand on its agent's Chromium. Everything a page says is content from outside. */
import { ToolError } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import type { ApprovalSubject } from "../../contracts/approval.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { checkAddress } from "./arrive.ts";
import type { Browser } from "./browser.ts";
import { toBrowserError } from "./browser-errors.ts";
import { type BrowserParams, browserParameters, describeParams, isActing, needParam } from "./browser-params.ts";
import { type BrowserDetails, buildReport } from "./build-report.ts";
import { createDeadline } from "./deadline.ts";
import { finishCall } from "./finish-call.ts";
import { runAction } from "./run-action.ts";
import { noPage, type SessionTabs } from "./session-tabs.ts";

export interface BrowserToolOptions {
  scope: { session: Pick<SessionEntry, "sessionKey" | "agentId"> };
  /** For pictures, documents and downloads; relative to the working folder or absolute. */
  scratchFolder: string;
  clock: Clock;
}

/** Starting Chromium is not the page's fault. */
const startAllowanceMs = 35_000;

export function createBrowserTool(
  browser: Browser,
  operations: Operations,
  { scope, scratchFolder, clock }: BrowserToolOptions,
): Tool<typeof browserParameters, BrowserDetails> {
  const { sessionKey, agentId } = scope.session;
  const timeoutMs = browser.config.timeoutSeconds * 1000;

  const run = (params: BrowserParams, signal: AbortSignal): Promise<ToolResult<BrowserDetails>> =>
    browser.of(agentId).use(sessionKey, async ({ tabs, proxy }) => {
      const deadline = createDeadline(clock, signal, timeoutMs);
      const call = { tabs, proxy, params, deadline, clock, operations, scratchFolder, guard: browser.guard };
      try {
        return await finishCall(call, await runAction(call));
      } finally {
        deadline.stop();
      }
    });

  return {
    name: "browser",
    label: "Browser",
    description: "A web browser. open shows the page as text with refs like e5; take a new snapshot after changes.",
    parameters: browserParameters,
    effect: "external",
    describe: describeParams,
    locks: async () => [`browser:${sessionKey}`],
    isOutward: ({ action }) => isActing(action),
    approvalSubject: async (params) => buildSubject(params, browser.of(agentId).peek(sessionKey), operations.cwd),
    async execute(_id, params, signal) {
      // What is refused or incomplete needs no browser.
      if (params.action === "open") await checkAddress(browser.guard, needParam(params, "url"));
      else if (browser.of(agentId).peek(sessionKey)?.current === undefined) return answerWithoutPage(params.action);
      const whole = createDeadline(clock, signal, timeoutMs + startAllowanceMs);
      try {
        return await whole.wait(run(params, signal));
      } catch (error) {
        if (signal.aborted) throw new ToolError("ABORTED", "The browser was stopped", { cause: error });
        throw toBrowserError(error, [params.action, params.ref].filter((part) => part !== undefined).join(" "));
      } finally {
        whole.stop();
      }
    },
  };
}

/** A browser is started to open a page, not to say that there is none. */
function answerWithoutPage(action: BrowserParams["action"]): ToolResult<BrowserDetails> {
  if (action === "tabs" || action === "close") return buildReport({ did: "No page is open.", action, notices: [] });
  throw noPage();
}

/** A ref says nothing to a person: the page and the element, as the model saw them, are part of what is allowed. */
function buildSubject(params: BrowserParams, tabs: SessionTabs | undefined, cwd: string): ApprovalSubject {
  const given = Object.entries(params).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const page = tabs?.current?.url() ?? "none";
  const element = params.ref === undefined ? undefined : tabs?.lineOf(params.ref);
  const argv = ["browser", ...given, `page=${page}`, ...(element === undefined ? [] : [`element=${element}`])];
  return { tool: "browser", text: argv.map(toPrintable).join("\n"), exact: { argv, cwd, env: {} } };
}
