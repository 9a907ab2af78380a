/** Makes the web tools of a toolbox: one guard, one cache and one set of threads for all its turns. */
import { type AddressGuard, createAddressGuard, type ResolveHost } from "../../base/address-guard.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ImageWork } from "../kit/image-work.ts";
import type { WebConfig } from "./config.ts";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";
import { createPageSource } from "./page-source.ts";
import type { Connect } from "./pinned-connect.ts";
import { createBodyRenderer } from "./render-body.ts";
import { pickDialect, toAllowEntry } from "./search/pick-provider.ts";
import { createSearchProvider } from "./search/search-provider.ts";
import { createWebFetchTool } from "./web-fetch.ts";
import { createWebSearchTool } from "./web-search.ts";

export interface WebToolsDependencies {
  clock: Clock;
  log: Log;
  config: WebConfig;
  /** For the pictures that web_fetch shows; whoever made it closes it. */
  imageWork: Pick<ImageWork, "resize">;
  /** For pages. Absent: one that permits `config.allowPrivate`. */
  guard?: AddressGuard;
  /** Absent: the system's resolver. */
  resolve?: ResolveHost;
  /** Absent: real sockets. */
  connect?: Connect;
}

export interface WebTools {
  fetchTool: ReturnType<typeof createWebFetchTool>;
  searchTool: ReturnType<typeof createWebSearchTool>;
  /** Any file of the public web, for other tools: the same rules as for pages. */
  fetchFile: GuardedFetch["fetch"];
  /** Ends connections and threads. */
  close(): Promise<void>;
}

export function createWebTools(dependencies: WebToolsDependencies): WebTools {
  const { clock, log, config, imageWork, guard, resolve, connect } = dependencies;
  const resolver = resolve === undefined ? {} : { resolve };
  const sockets = connect === undefined ? {} : { connect };
  const pages = createGuardedFetch({
    guard: guard ?? createAddressGuard({ ...resolver, allow: config.allowPrivate }),
    clock,
    ...sockets,
  });
  // What the operator names as the provider's address may be private; pages may not lead there for that.
  const searches = createGuardedFetch({
    guard: createAddressGuard({ ...resolver, allow: [...config.allowPrivate, ...toAllowEntry(config.search)] }),
    clock,
    ...sockets,
  });
  const renderer = createBodyRenderer(clock);
  const dialect = pickDialect(config.search);
  return {
    fetchTool: createWebFetchTool({
      source: createPageSource({ web: pages, renderer, clock }, config.fetch),
      imageWork,
    }),
    searchTool: createWebSearchTool({
      provider: dialect === undefined ? undefined : createSearchProvider(dialect, searches, clock),
      clock,
      log,
      cacheMinutes: config.fetch.cacheMinutes,
    }),
    fetchFile: pages.fetch,
    async close() {
      await Promise.all([pages.close(), searches.close(), renderer.close()]);
    },
  };
}
