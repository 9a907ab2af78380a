/** What mom stands on: the Node that runs her, the programs that tools start, the terminal. */

import { configSchema, createExecutor, type MomConfig } from "../../app/index.ts";
import { errorText, MomError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { CliIo } from "../io.ts";
import { isInteractiveTerminal } from "../terminal-channel.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const oldestMajor = 24;

export function checkNode(version: string): Finding {
  const major = Number(version.split(".")[0]);
  if (major >= oldestMajor) return ok("node", version);
  return fail(
    "node",
    `${version} is too old`,
    `Start mom with the \`mom\` command, which brings its own, or install Node ${oldestMajor}.`,
  );
}

/** Runs a program the way the config wants it. Without a config: the way a new mom would. */
export async function checkSandbox(
  { io, clock, log }: { io: CliIo; clock: Clock; log: Log },
  dataDir: string,
  config: MomConfig | undefined,
): Promise<Finding> {
  const check = "sandbox";
  try {
    const sandbox = config?.sandbox ?? configSchema.parse({}).sandbox;
    const executor = await createExecutor({ dataDir, env: io.env, clock, log }, sandbox);
    try {
      const { ok: isUsable, detail, hint, filesOnly } = await executor.check();
      if (isUsable && hint === undefined) return ok(check, detail);
      const fix = hint ?? "Install mom again, so that npm adds what is missing.";
      return isUsable
        ? warn(check, detail, fix)
        : fail(check, `${detail}; ${filesOnly ? "programs" : "tools"} are refused until then`, fix);
    } finally {
      await executor.close();
    }
  } catch (error) {
    const fix = error instanceof MomError ? error.hint : undefined;
    return fail(check, errorText(error), fix ?? "Install mom again, so that npm adds what is missing.");
  }
}

export function checkTerminal(io: CliIo): Finding {
  const check = "terminal";
  if (!isInteractiveTerminal(io)) return ok(check, "none here: chats are piped, one message per line");
  const { columns, rows } = io.stdout;
  if (io.env["TERM"] === "dumb") {
    return warn(
      check,
      "TERM is dumb: the chat cannot draw",
      "Set TERM to what your terminal is, for example xterm-256color.",
    );
  }
  const locale = io.env["LC_ALL"] || io.env["LC_CTYPE"] || io.env["LANG"] || "";
  if (process.platform !== "win32" && !/utf-?8/i.test(locale)) {
    return warn(
      check,
      `the locale is ${locale || "not set"}: other letters than English ones may look wrong`,
      "Set LANG to a UTF-8 locale, for example C.UTF-8.",
    );
  }
  return ok(check, `${columns}×${rows}${io.env["NO_COLOR"] ? ", no colours" : ""}`);
}
