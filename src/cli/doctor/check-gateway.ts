/** The gateway: may it be reached, by whom, and does the running one answer? */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { BlockList, isIPv4 } from "node:net";
import { join } from "node:path";
import type { MomConfig } from "../../app/index.ts";
import { findPackageDir } from "../../base/package-dir.ts";
import { buildLayout } from "../../store/index.ts";
import { readHolderNow } from "../holder.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const check = "gateway";
const answerWithinMs = 3000;

export async function checkGateway(dataDir: string, { gateway }: MomConfig, isOffline: boolean): Promise<Finding[]> {
  if (!gateway.enabled) return [ok(check, "off: no web page, no API")];
  const { stateDir } = buildLayout(dataDir);
  return [
    ...(await checkToken(join(stateDir, "gateway-token"))),
    ...checkReach(gateway),
    ...checkPage(),
    await checkAnswer(dataDir, join(stateDir, "gateway.json"), isOffline),
  ];
}

async function checkToken(path: string): Promise<Finding[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found || (found.mode & 0o077) === 0) return [];
  return [fail(check, `${path} can be read by other users of this machine`, `chmod 600 ${path}`)];
}

function checkReach({ host, hosts }: MomConfig["gateway"]): Finding[] {
  if (isLoopback(host) || hosts.length > 0) return [];
  const fix =
    "Put a reverse proxy with TLS in front and name it in gateway.hosts, or listen on 127.0.0.1 (docs/gateway.md).";
  return [warn(check, `it listens on ${host}, without encryption`, fix)];
}

function checkPage(): Finding[] {
  if (existsSync(join(findPackageDir() ?? "", "dist", "web"))) return [];
  return [warn(check, "the web page has not been built", "npm run build")];
}

async function checkAnswer(dataDir: string, path: string, isOffline: boolean): Promise<Finding> {
  if (!readHolderNow(dataDir)) return ok(check, "on; no mom is running");
  const url = await readUrl(path);
  if (url === undefined) {
    return fail(check, "the running mom does not listen", "`mom logs tail` says why; then start her again.");
  }
  if (isOffline) return ok(check, url);
  try {
    const { ok: isWell, status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerWithinMs) });
    return isWell ? ok(check, url) : fail(check, `${url} answers ${status}`, "`mom logs tail` says why.");
  } catch {
    return fail(
      check,
      `${url} does not answer`,
      "Is something between, a firewall or a proxy? `mom logs tail` may say.",
    );
  }
}

async function readUrl(path: string): Promise<string | undefined> {
  try {
    const { url } = JSON.parse(await readFile(path, "utf8"));
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  return isIPv4(host) && loopback.check(host, "ipv4");
}
