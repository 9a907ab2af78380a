/** Opening pages, and what must hold of wherever the browser got to: an address that may be seen, and no error page. */
import type { Page } from "playwright-core";
import type { AddressGuard } from "../../base/address-guard.ts";
import { errorText, ToolError } from "../../base/errors.ts";
import { pageFailed } from "./browser-errors.ts";
import type { Deadline } from "./deadline.ts";
import type { GuardProxy } from "./guard-proxy.ts";
import { hostOf, portOf } from "./proxy-exit.ts";
import { type Settled, type Settling, settle } from "./settle.ts";

export interface Arrival extends Settling {
  proxy: GuardProxy;
}

/** The address as it will be opened. Refuses before a browser is started; the proxy checks again, and all that follows. */
export async function checkAddress(guard: AddressGuard, address: string): Promise<URL> {
  const url = guard.checkUrl(address);
  await guard.resolve(url.hostname, portOf(url));
  return url;
}

/** Goes to a page and waits for it. A page that turns out to be a download stays where it was. */
export async function openPage(page: Page, url: URL, arrival: Arrival): Promise<void> {
  let failure: unknown;
  const go = () =>
    goTo(page, url.href, arrival.deadline).catch((error: unknown) => {
      failure = error;
    });
  const settled = await settle(page, go, arrival);
  const text = failure === undefined ? "" : errorText(failure);
  if (/Download is starting/.test(text)) return;
  await ensureArrived(page, settled, arrival);
  if (/net::ERR_/.test(text)) throw pageFailed(url.href, text, failure);
  if (failure !== undefined) throw failure;
}

/** The error page of an earlier failure, or the blank one after it, may still be on its way and overtake this one. */
const overtaken = /interrupted by another navigation to "?(chrome-error:|about:blank)/;
const maxTries = 3;

async function goTo(page: Page, address: string, { signal, timeoutMs: timeout }: Deadline): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await page.goto(address, { waitUntil: "domcontentloaded", signal, timeout }));
    } catch (error) {
      const text = errorText(error);
      if (overtaken.test(text) && tries < maxTries) continue;
      // It came, and went on to another page by itself.
      if (/interrupted by another navigation/.test(text)) return;
      throw error;
    }
  }
}

/** After any action: throws, and leaves the page, where it went to something that it may not show or that did not come. */
export async function ensureArrived(
  page: Page,
  { navigation }: Pick<Settled, "navigation">,
  { proxy, deadline }: Pick<Arrival, "proxy" | "deadline">,
): Promise<void> {
  const leave = () => deadline.wait(goTo(page, "about:blank", deadline)).catch(() => undefined);
  if (!isWebAddress(page.url())) {
    await leave();
    throw new ToolError("ADDRESS_REFUSED", "The page led to an address that is neither http nor https; it was left");
  }
  if (navigation === undefined) return;
  const failure = proxyFailure(proxy, page.url()) ?? proxyFailure(proxy, navigation.url);
  const isErrorPage = page.url().startsWith("chrome-error:");
  if (failure === undefined && !isErrorPage) return;
  await leave();
  throw failure ?? pageFailed(navigation.url, navigation.failure ?? "");
}

/** Inline pages cannot reach more than the page that made them. */
const isWebAddress = (address: string) =>
  /^(https?:|about:|data:|blob:|chrome-error:)/i.test(address) || address === "";

function proxyFailure(proxy: GuardProxy, address: string): ToolError | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return proxy.failureOf(hostOf(url));
}
