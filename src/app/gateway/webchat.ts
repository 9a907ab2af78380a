/** The web chat needs no entry in the config: it is there when the gateway is. One that is there is used as it stands. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findPackageDir } from "../../base/package-dir.ts";
import type { WebchatAdapter } from "../../channels/index.ts";
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { MomConfig } from "../config-schema.ts";

/** Where none is configured. */
export const webchatName = "webchat";

export function withWebchat({ adapters, gateway }: Pick<MomConfig, "adapters" | "gateway">): MomConfig["adapters"] {
  const isThere = Object.values(adapters).some(({ type }) => type === "webchat");
  if (!gateway.enabled || isThere || adapters[webchatName]) return adapters;
  return { ...adapters, [webchatName]: { type: "webchat" } };
}

export function findWebchat(started: ReadonlyMap<string, PlatformAdapter>): WebchatAdapter | undefined {
  for (const adapter of started.values()) if (isWebchat(adapter)) return adapter;
  return undefined;
}

const isWebchat = (adapter: PlatformAdapter): adapter is WebchatAdapter => adapter.type === "webchat";

/** The built web UI; undefined where mom was not built. */
export function findUi(): string | undefined {
  const folder = join(findPackageDir() ?? "", "dist", "web");
  return existsSync(folder) ? folder : undefined;
}
