/** web_fetch of a page of a megabyte, from the request to the text that the model gets: three kinds of pages. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Bench } from "../bench.ts";
import { type Figure, summariseCosts } from "../figure.ts";
import { runChild } from "../run-child.ts";
import type { WebFetchResult } from "../web-fetch-child.ts";
import { buildPage, type PageKind } from "../web-pages.ts";
import type { Workshop } from "../workshop.ts";

const names: Record<PageKind, string> = {
  article: "a long article",
  scripts: "mostly scripts",
  portal: "a portal of links",
};
const pagesPerLife = 12;

export const webFetchBench: Bench = {
  name: "web-fetch",
  summary: "web_fetch of a page of 1 MB",
  // The thread that reads pages is a file of the built program.
  needsBuild: true,
  async run(workshop) {
    const figures: Figure[] = [];
    const firsts: WebFetchResult["first"][] = [];
    for (const kind of ["article", "scripts", "portal"] as const) {
      const results = await readPages(workshop, kind);
      firsts.push(...results.map(({ first }) => first));
      figures.push({
        name: `web_fetch of 1 MB, ${names[kind]}`,
        ...summariseCosts(results.flatMap(({ others }) => others)),
        target: { atMost: 300 },
        note: `${results[0]?.textChars} characters of it for the model`,
      });
    }
    return [...figures, { name: "web_fetch of 1 MB, the first of a process", ...summariseCosts(firsts) }];
  },
};

/** Several lives, each with pages that nobody has read before. */
async function readPages(workshop: Workshop, kind: PageKind): Promise<WebFetchResult[]> {
  const site = await startSite(Array.from({ length: pagesPerLife + 1 }, (_each, number) => buildPage(kind, number)));
  const path = await workshop.pathOfChild("web-fetch-child");
  const results: WebFetchResult[] = [];
  try {
    for (let life = 0; life < workshop.times(3, 1); life++) {
      results.push(await runChild<WebFetchResult>(path, { site: site.address, pages: pagesPerLife }));
    }
  } finally {
    await site.stop();
  }
  return results;
}

/** `/page-<number>`, on loopback; ready-made bytes. */
async function startSite(pages: readonly string[]) {
  const bodies = pages.map((page) => Buffer.from(page));
  const server = createServer(({ url = "" }, response) => {
    const body = bodies[Number(url.replace("/page-", ""))];
    response.writeHead(body ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
