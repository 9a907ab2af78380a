/**
 * A fresh mom that reads one page after another of a site on loopback with the web_fetch tool, each of them for the first
 * time: only the first one also starts the thread and loads what reads pages. Started by benches/web-fetch.ts.
 */
import { createSystemClock } from "../src/base/clock.ts";
import { createImageWork } from "../src/tools/kit/image-work.ts";
import { webConfig } from "../src/tools/web/config.ts";
import { createWebTools } from "../src/tools/web/create-web-tools.ts";
import { silentLog } from "../test/fakes/log.ts";
import type { Cost } from "./figure.ts";
import { timeWork } from "./time-work.ts";
import { pageMark } from "./web-pages.ts";

export interface WebFetchOrders {
  /** Of a site on loopback: `host:port`, which has a page under every path. */
  site: string;
  pages: number;
}

export interface WebFetchResult {
  first: Cost;
  others: Cost[];
  /** Of what the model gets, of the last one. */
  textChars: number;
}

const { site, pages }: WebFetchOrders = JSON.parse(process.argv[2] ?? "{}");
const config = webConfig.parse({ allowPrivate: [site] });
const clock = createSystemClock();
const tools = createWebTools({ clock, log: silentLog, config, imageWork: createImageWork({ clock }) });

async function fetchPage(number: number): Promise<string> {
  const params = { url: `http://${site}/page-${number}` };
  const result = await tools.fetchTool.execute("call", params, AbortSignal.timeout(60_000), () => {});
  const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (!text.includes(pageMark)) throw new Error(`this is not what the page says: ${text.slice(0, 300)}`);
  return text;
}

const first = await timeWork(() => fetchPage(0));
const others: Cost[] = [];
let textChars = 0;
for (let number = 1; number <= pages; number++) {
  const { cost, result } = await timeWork(() => fetchPage(number));
  others.push(cost);
  textChars = result.length;
}
await tools.close();
process.send?.({ first: first.cost, others, textChars } satisfies WebFetchResult);
process.disconnect();
