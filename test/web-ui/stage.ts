/** The web UI in a real Chromium, on the real app with its gateway: what people see, click and type. */
import type { TestContext } from "node:test";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { App } from "../../src/app/index.ts";
import { findChromium } from "../../src/tools/ui/find-chromium.ts";
import { createGatewayWorld, type GatewayWorld, newKey } from "../flow/gateway-world.ts";

export interface UiStage extends BrowserStage {
  world: GatewayWorld;
  app: App;
  page: Page;
}

export interface BrowserStage {
  /** What the browser complained of: errors on the console, and what the content security policy stopped. */
  complaints: string[];
  /** Requests that left mom's own address. */
  strays: string[];
  /** Another page, let in with a code of its own. */
  openPage(options?: BrowserContextOptions, path?: string): Promise<Page>;
}

interface UiOptions {
  world?: Parameters<typeof createGatewayWorld>[1];
  context?: BrowserContextOptions;
  /** Leave the welcome to the test. */
  isFirstRun?: boolean;
}

const { source: axeSource } = axe;

export async function openUi(t: TestContext, options: UiOptions = {}): Promise<UiStage> {
  const world = await createGatewayWorld(t, options.world);
  const app = await world.start();
  if (!options.isFirstRun) {
    const operator = await world.connect(app);
    await operator.call("setup.finish", { idempotencyKey: newKey() });
  }
  const stage = await openBrowser(t, { url: app.url ?? "", createLink: async () => (await app.createLink()) ?? "" });
  return { world, app, page: await stage.openPage(options.context), ...stage };
}

/** Any gateway in a browser of its own. */
export async function openBrowser(
  t: TestContext,
  gateway: { url: string; createLink(): Promise<string> },
): Promise<BrowserStage> {
  const browser = await launch(t);
  const complaints: string[] = [];
  const strays: string[] = [];
  const openPage: BrowserStage["openPage"] = async (contextOptions = {}, path = "") => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...contextOptions });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("console", (message) => {
      if (message.type() === "error" || /content security policy/i.test(message.text()))
        complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(gateway.url) && !/^(?:data|blob):/.test(url)) strays.push(url);
    });
    await page.goto(await gateway.createLink());
    // Let in: a page that is left before that has used its code up for nothing.
    await page.waitForURL(/#\/(?:chat|welcome)/);
    if (path !== "") await page.goto(`${gateway.url}/${path}`);
    return page;
  };
  return { complaints, strays, openPage };
}

async function launch(t: TestContext): Promise<Browser> {
  const executablePath = await findChromium({
    executablePath: undefined,
    path: process.env["PATH"] ?? "",
    platform: process.platform,
  });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  t.after(() => browser.close());
  return browser;
}

/** What somebody with a screen reader, or without a mouse, would stumble over. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }> };
    };
    return (await axe.run()).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

export const messageBox = (page: Page) => page.getByRole("textbox", { name: "Message" });

export async function tell(page: Page, text: string): Promise<void> {
  await messageBox(page).fill(text);
  await messageBox(page).press("Enter");
}
