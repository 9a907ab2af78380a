/**
 * Where the mom that runs on a data directory listens, and the token that lets its owner in. The token is only given to the
 * process that holds the directory: what an earlier one left behind is never believed.
 */
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { GatewayError, StoreError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import { buildLayout } from "../../store/index.ts";
import { type Holder, readHolderNow } from "../holder.ts";

export interface FoundGateway {
  /** `http://127.0.0.1:18800` */
  url: string;
  pid: number;
}

export type GatewaySearch =
  | ({ type: "found" } & FoundGateway)
  /** Nobody runs there. */
  | { type: "nobody" }
  /** Somebody does, and does not listen: the gateway is off, or it is a command that has none. */
  | { type: "closed"; holder: Holder };

/** A mom that has just begun takes a moment until she listens. */
const startingMs = 3_000;
const lookAgainMs = 100;

export const tokenPathOf = (dataDir: string): string => join(buildLayout(dataDir).stateDir, "gateway-token");

export async function findGateway(dataDir: string): Promise<GatewaySearch> {
  const holder = readHolderNow(dataDir);
  if (!holder) return { type: "nobody" };
  const left = await readRunFile(dataDir);
  if (!left || left.pid !== holder.pid || holder.host !== hostname()) return { type: "closed", holder };
  return { type: "found", ...left };
}

/** The same, with patience for one that is starting. */
export async function awaitGateway(dataDir: string, clock: Clock): Promise<GatewaySearch> {
  for (;;) {
    const search = await findGateway(dataDir);
    if (search.type !== "closed") return search;
    const ageMs = clock.now() - Date.parse(search.holder.startedAt);
    if (!(ageMs >= 0 && ageMs < startingMs)) return search;
    await clock.sleep(lookAgainMs);
  }
}

/** For commands that need one. Throws `GATEWAY_NOT_RUNNING` and `GATEWAY_CLOSED`. */
export async function ensureGateway(dataDir: string, clock: Clock): Promise<FoundGateway> {
  const search = await awaitGateway(dataDir, clock);
  if (search.type === "found") return search;
  if (search.type === "nobody") {
    throw new GatewayError("GATEWAY_NOT_RUNNING", `No mom runs on ${dataDir}.`, {
      hint: `Start one: mom ${dataDir}. Another data directory is named with --data or MOM_DATA.`,
    });
  }
  const { pid, host } = search.holder;
  throw new GatewayError("GATEWAY_CLOSED", `Process ${pid} on ${host} runs on ${dataDir} and has no gateway.`, {
    hint: "Turn it on: mom config set gateway.enabled true. `mom chat` and `mom agent` have none; `mom <data-dir>` has.",
  });
}

/** For commands that would start a mom of their own where none runs: who is in the way, and how to go beside them. */
export function buildInUse(dataDir: string, { pid, host, startedAt }: Holder): StoreError {
  const who = startedAt === "" ? "another process" : `process ${pid} on ${host}, running since ${startedAt}`;
  return new StoreError("DATA_DIR_IN_USE", `${dataDir} is in use by ${who}`, {
    hint:
      "Stop that mom first, or use another directory with --data. Beside one that was started with `mom <data-dir>` " +
      "and has its gateway on (mom config set gateway.enabled true) this works at once.",
  });
}

/** Throws `GATEWAY_TOKEN_UNREADABLE`. */
export async function readToken(dataDir: string): Promise<string> {
  const path = tokenPathOf(dataDir);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new GatewayError("GATEWAY_TOKEN_UNREADABLE", `${path} cannot be read.`, {
      hint: "Run this as the user who runs mom. A mom with its gateway on makes the file when she starts.",
      cause: error,
    });
  });
  return text.trim();
}

async function readRunFile(dataDir: string): Promise<FoundGateway | undefined> {
  try {
    const path = join(buildLayout(dataDir).stateDir, "gateway.json");
    const left: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof left !== "object" || left === null || !("url" in left) || !("pid" in left)) return undefined;
    const { url, pid } = left;
    if (typeof url !== "string" || typeof pid !== "number" || !URL.parse(url)?.protocol.startsWith("http"))
      return undefined;
    return { url, pid };
  } catch {
    return undefined;
  }
}
