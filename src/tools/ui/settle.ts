/** Lets a page come to rest after something was done to it: a navigation that began is waited for, quick requests too. */
import type { Frame, Page, Request, Response } from "playwright-core";
import type { Clock } from "../../contracts/clock.ts";
import type { Deadline } from "./deadline.ts";
import type { SessionTabs } from "./session-tabs.ts";

/** The page's reaction needs a moment to begin. */
const firstLookMs = 100;
const lookMs = 50;
/** A page that never comes to rest is looked at as it is then. */
const longestRestMs = 2_000;
const longestLoadMs = 5_000;

export interface Settled {
  /** The last main page that was asked for while it settled; undefined when none was. */
  navigation: { url: string; failure: string | undefined } | undefined;
  /** Another page, or another part of an application, came of it. */
  isChanged: boolean;
}

export interface Settling {
  tabs: Pick<SessionTabs, "isOpening">;
  deadline: Deadline;
  clock: Clock;
}

/** Does `act` and waits. Rejects as `act` does. */
export async function settle(
  page: Page,
  act: () => Promise<unknown>,
  { tabs, deadline, clock }: Settling,
): Promise<Settled> {
  let navigation: Request | undefined;
  let isChanged = false;
  const pending = new Set<Request>();
  const onRequest = (request: Request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) navigation = request;
    if (["fetch", "xhr", "document"].includes(request.resourceType())) pending.add(request);
  };
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame()) isChanged = true;
  };
  // Not its end: a page need not read all of an answer.
  const onResponse = (response: Response) => onEnd(response.request());
  const onEnd = (request: Request) => void pending.delete(request);
  page.on("request", onRequest).on("response", onResponse).on("requestfailed", onEnd).on("framenavigated", onNavigated);
  try {
    await deadline.wait(act());
    await deadline.wait(clock.sleep(firstLookMs));
    if (navigation !== undefined) await waitForLoad(page, deadline);
    const restUntil = clock.monotonic() + longestRestMs;
    while ((pending.size > 0 || tabs.isOpening()) && clock.monotonic() < restUntil)
      await deadline.wait(clock.sleep(lookMs));
    if (navigation === undefined) return { navigation, isChanged };
    return { isChanged, navigation: { url: navigation.url(), failure: navigation.failure()?.errorText } };
  } finally {
    page
      .off("request", onRequest)
      .off("response", onResponse)
      .off("requestfailed", onEnd)
      .off("framenavigated", onNavigated);
  }
}

/** The text must be there; pictures and scripts have a little longer, and are not worth failing for. */
export async function waitForLoad(page: Page, { signal, timeoutMs, wait }: Deadline): Promise<void> {
  await wait(page.waitForLoadState("domcontentloaded", { signal, timeout: timeoutMs }));
  await wait(page.waitForLoadState("load", { signal, timeout: longestLoadMs }).catch(() => undefined));
}
