/** The web UI in a real Chromium on the fake house: for pages whose rooms must stand just so. */
import type { TestContext } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { findUi } from "../../src/app/gateway/webchat.ts";
import { createGatewayRig, type GatewayRig } from "../fakes/gateway-rig.ts";
import { type BrowserStage, openBrowser } from "./stage.ts";

export interface HouseStage extends BrowserStage {
  rig: GatewayRig;
  page: Page;
}

interface HouseOptions {
  context?: BrowserContextOptions;
  /** Without jobs, heartbeats, subagents and memory. */
  isBare?: boolean;
}

export async function openHouseUi(
  t: TestContext,
  { context = {}, isBare = false }: HouseOptions = {},
): Promise<HouseStage> {
  const rig = await createGatewayRig(t, { uiDir: findUi(), isBare, startMs: Date.now() });
  rig.house.isSetUp = true;
  const stage = await openBrowser(t, { url: rig.url, createLink: () => rig.gateway.createLink() });
  return { ...stage, rig, page: await stage.openPage(context) };
}
