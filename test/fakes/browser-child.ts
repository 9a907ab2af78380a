/**
 * A mom with nothing but a browser, in a process of its own, for tests that kill it: opens `argv[3]` with the state in
 * `argv[2]`, says `ready` with what the page is called, and waits. With `check` instead of an address it says what
 * `check()` found.
 */
import { createBrowserStage } from "./browser-stage.ts";

const [, , stateDir = "", address = ""] = process.argv;
const url = URL.parse(address);
const stage = await createBrowserStage({ allow: url === null ? [] : [url.host], stateDir });
if (url === null) {
  process.stdout.write(`${JSON.stringify(await stage.browser.check())}\n`);
  await stage.close();
} else {
  const text = await stage.say({ action: "open", url: url.href });
  process.stdout.write(`ready ${/Page: (.*) \|/.exec(text)?.[1]}\n`);
  setInterval(() => undefined, 1000);
}
