/** Carries out one action on the pages of a session. What it gives is completed and marked by the tool. */
import type { Page } from "playwright-core";
import type { AddressGuard } from "../../base/address-guard.ts";
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import type { SessionBrowser } from "./agent-browser.ts";
import { checkAddress, ensureArrived, openPage } from "./arrive.ts";
import { type BrowserParams, needParam } from "./browser-params.ts";
import type { Report } from "./build-report.ts";
import type { Deadline } from "./deadline.ts";
import { actOnPage, findElement, waitOnPage } from "./page-actions.ts";
import { printPage, takePicture, takeSnapshot } from "./page-views.ts";
import { saveInSlot } from "./saved-files.ts";
import type { SessionTabs } from "./session-tabs.ts";
import { settle, waitForLoad } from "./settle.ts";

export interface BrowserCall extends SessionBrowser {
  params: BrowserParams;
  deadline: Deadline;
  guard: AddressGuard;
  clock: Clock;
  operations: Operations;
  scratchFolder: string;
}

export async function runAction(call: BrowserCall): Promise<Report> {
  const { tabs, params } = call;
  switch (params.action) {
    case "open":
      return open(call);
    case "tabs":
      return { did: "", listing: await listTabs(tabs, call.deadline) };
    case "tab":
      tabs.pick(needParam(params, "index"));
      return { did: `Tab ${params.index} is the current one.`, isChanged: true };
    case "close": {
      await tabs.close(params.all === true ? "all" : "current");
      const left = tabs.pages.length;
      return { did: left === 0 ? "Closed; no page is open." : `Closed; ${left} left.` };
    }
    case "snapshot":
      return { did: "", snapshot: await takeSnapshot(tabs.need(), { offset: params.offset ?? 1 }, call.deadline) };
    case "screenshot":
      return screenshot(tabs.need(), call);
    case "pdf":
      return print(tabs.need(), call);
    case "wait":
      await call.deadline.wait(waitOnPage(tabs.need(), params, call.deadline, call.clock));
      return { did: "Waited." };
    default:
      return change(tabs.need(), call);
  }
}

async function open(call: BrowserCall): Promise<Report> {
  const { tabs, params, deadline, guard } = call;
  const url = await deadline.wait(checkAddress(guard, needParam(params, "url")));
  const isNew = params.newTab === true || tabs.current === undefined;
  await openPage(isNew ? await deadline.wait(tabs.open()) : tabs.need(), url, call);
  return { did: "Opened.", isChanged: true };
}

async function screenshot(page: Page, { params, deadline, operations, scratchFolder }: BrowserCall): Promise<Report> {
  const part = params.fullPage === true ? "page" : "screen";
  const what = params.ref === undefined ? part : await findElement(page, params.ref, deadline);
  const picture = await takePicture(page, what, deadline);
  const path = await saveInSlot(operations, scratchFolder, "screenshot", "png", picture.whole);
  const did = [`Saved as ${path}.`, picture.notice].filter((part) => part !== undefined).join(" ");
  return { did, picture: picture.shown, path };
}

async function print(page: Page, { deadline, operations, scratchFolder }: BrowserCall): Promise<Report> {
  const data = await printPage(page, deadline);
  const path = await saveInSlot(operations, scratchFolder, "page", "pdf", data);
  return { did: `Saved as ${path} (${formatBytes(data.length)}).`, path };
}

/** Whatever may lead to another page, or open one. */
async function change(page: Page, call: BrowserCall): Promise<Report> {
  const { tabs, params, deadline } = call;
  tabs.answerDialogs(params.accept === true ? "accept" : "dismiss");
  const settled = await settle(page, () => act(page, params, deadline), call);
  if (!page.isClosed()) await ensureArrived(page, settled, call);
  const { current } = tabs;
  const isOther = current !== undefined && current !== page;
  if (isOther) {
    await waitForLoad(current, deadline);
    await ensureArrived(current, { navigation: { url: current.url(), failure: undefined } }, call);
  }
  return { did: `Done: ${params.action}.`, isChanged: settled.isChanged || isOther };
}

async function act(page: Page, params: BrowserParams, deadline: Deadline): Promise<void> {
  const limits = { waitUntil: "domcontentloaded" as const, signal: deadline.signal, timeout: deadline.timeoutMs };
  if (params.action === "reload") return void (await page.reload(limits));
  if (params.action !== "back" && params.action !== "forward") return actOnPage(page, params, deadline);
  const before = page.url();
  await (params.action === "back" ? page.goBack(limits) : page.goForward(limits));
  if (page.url() === before) {
    throw new ToolError("BROWSER_NO_PAGE", `There is no page to go ${params.action} to`, { hint: "Open one." });
  }
}

async function listTabs(tabs: SessionTabs, deadline: Deadline): Promise<string> {
  const lines: string[] = [];
  for (const [index, page] of tabs.pages.entries()) {
    const title = await deadline.wait(page.title()).catch(() => "(no answer)");
    lines.push(`${index}${page === tabs.current ? " (current)" : ""} ${title} ${page.url()}`);
  }
  return lines.length === 0 ? "No page is open." : lines.join("\n");
}
