/**
 * The token in `state/gateway-token`: whoever can read the file is the operator. Made at the first start, and looked at again
 * while attempts are made: within a second a new token in the file holds, and the old one no longer does.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { AuthError, systemCode } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { newSecret } from "./secrets.ts";

export interface GatewayToken {
  /** Makes the file where there is none. Throws `GATEWAY_TOKEN_UNUSABLE`. */
  prepare(): Promise<void>;
  /** As the file has it. Undefined: it is gone or not usable, and nobody gets in with it. */
  read(): Promise<string | undefined>;
}

interface TokenDeps {
  stateDir: string;
  clock: Clock;
  log: Log;
  /** The file has another token than before: who came with the old one must go. */
  onChange(): void;
}

const fileName = "gateway-token";
const privateMode = 0o600;
/** Shorter ones could be guessed. */
const leastLength = 24;
const mostBytes = 1024;
/** A thousand who come back at once are not a thousand looks at the file. */
const lookEveryMs = 1_000;

export function createGatewayToken({ stateDir, clock, log, onChange }: TokenDeps): GatewayToken {
  const path = join(stateDir, fileName);
  /** What the file looked like when its token was read. */
  let known: { stamp: string; token: string } | undefined;

  const load = async (): Promise<string> => {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stamp = await ensurePrivate(file, path, log);
      if (known?.stamp === stamp) return known.token;
      const token = parseToken(await file.readFile("utf8"), path);
      const isOther = known !== undefined && known.token !== token;
      known = { stamp, token };
      if (isOther) onChange();
      return token;
    } finally {
      await file.close();
    }
  };

  const look = async (): Promise<string | undefined> => {
    try {
      return await load();
    } catch (error) {
      if (known) onChange();
      known = undefined;
      log.error("The gateway's token cannot be read; nobody gets in with it", { path, error });
      return undefined;
    }
  };
  let looked: { at: number; token: Promise<string | undefined> } | undefined;

  return {
    async prepare() {
      await createToken(path);
      await load().catch((error: unknown) => {
        throw error instanceof AuthError ? error : unusable(path, `cannot be read (${systemCode(error)})`, error);
      });
    },
    read() {
      if (!looked || clock.monotonic() - looked.at >= lookEveryMs) {
        looked = { at: clock.monotonic(), token: look() };
      }
      return looked.token;
    },
  };
}

async function createToken(path: string): Promise<void> {
  try {
    const file = await open(path, "wx", privateMode);
    try {
      await file.writeFile(`${newSecret()}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw unusable(path, `cannot be made (${systemCode(error)})`, error);
  }
}

/** Gives what tells this state of the file from others. */
async function ensurePrivate(file: FileHandle, path: string, log: Log): Promise<string> {
  const info = await file.stat();
  if (!info.isFile() || info.size > mostBytes) throw unusable(path, "is no plain file with a token in it");
  if (process.getuid !== undefined && (info.mode & 0o077) !== 0) {
    await file.chmod(privateMode);
    log.warn("The gateway's token could be read by other users; only its owner may now", { path, now: "0600" });
  }
  return `${info.ino} ${info.size} ${info.mtimeMs}`;
}

function parseToken(text: string, path: string): string {
  const token = text.trim();
  if (token.length >= leastLength && /^[\x21-\x7e]+$/.test(token)) return token;
  throw unusable(path, `has no usable token: at least ${leastLength} printable characters without spaces`);
}

function unusable(path: string, what: string, cause?: unknown): AuthError {
  return new AuthError("GATEWAY_TOKEN_UNUSABLE", `${path} ${what}`, {
    hint: "Remove the file: mom makes a new one at the next start. Run mom as the user who owns the data directory.",
    cause,
  });
}
