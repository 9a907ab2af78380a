/** What can be done to a page: each action does its part and leaves waiting and reporting to the tool. */
import type { Locator, Page } from "playwright-core";
import type { Clock } from "../../contracts/clock.ts";
import { staleRef } from "./browser-errors.ts";
import { type BrowserParams, needParam } from "./browser-params.ts";
import type { Deadline } from "./deadline.ts";

/** An element that cannot be used now will hardly be usable much later. */
const elementTimeoutMs = 8_000;

/** The element that the newest snapshot calls so. Throws `BROWSER_REF_STALE` at once instead of waiting for it. */
export async function findElement(page: Page, ref: string, deadline: Deadline): Promise<Locator> {
  const element = page.getByRef(ref);
  const count = await deadline.wait(element.count().catch(() => 0));
  if (count === 0) throw staleRef(ref);
  return element;
}

export async function actOnPage(page: Page, params: BrowserParams, deadline: Deadline): Promise<void> {
  const limits = { signal: deadline.signal, timeout: Math.min(elementTimeoutMs, deadline.timeoutMs) };
  const find = () => findElement(page, needParam(params, "ref"), deadline);
  switch (params.action) {
    case "click": {
      const options = { ...limits, button: params.button ?? "left" };
      const element = await find();
      return params.double === true ? element.dblclick(options) : element.click(options);
    }
    case "type": {
      const text = needParam(params, "text");
      const element = await find();
      await element.fill(text, limits);
      if (params.submit === true) await element.press("Enter", limits);
      return;
    }
    case "select": {
      const values = needParam(params, "values");
      await (await find()).selectOption(values, limits);
      return;
    }
    case "press": {
      const key = needParam(params, "key");
      return params.ref === undefined ? page.keyboard.press(key) : (await find()).press(key, limits);
    }
    case "hover":
      return (await find()).hover(limits);
    case "scroll":
      if (params.ref !== undefined) return (await find()).scrollIntoViewIfNeeded(limits);
      return page.mouse.wheel(0, page.viewportSize()?.height ?? 800);
  }
}

/** `wait`: for a text, an element, an address, or for some seconds. */
export async function waitOnPage(page: Page, params: BrowserParams, deadline: Deadline, clock: Clock): Promise<void> {
  const { text, ref, url } = params;
  const limits = { signal: deadline.signal, timeout: deadline.timeoutMs };
  if (text !== undefined)
    return page
      .getByText(text)
      .first()
      .waitFor({ state: "visible", ...limits });
  if (ref !== undefined) return (await findElement(page, ref, deadline)).waitFor({ state: "visible", ...limits });
  if (url !== undefined) return page.waitForURL(({ href }) => href.includes(url), limits);
  return clock.sleep(needParam(params, "seconds") * 1000, deadline.signal);
}
