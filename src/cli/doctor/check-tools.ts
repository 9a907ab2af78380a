/** What some tools need beside mom herself: a browser, a voice, a search engine, custom tools that can be loaded. */
import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCustomTools, type MomConfig } from "../../app/index.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { checkBrowser } from "../../tools/index.ts";
import type { CliIo } from "../io.ts";
import { type Finding, ok, warn } from "./finding.ts";

interface Deps {
  io: CliIo;
  clock: Clock;
  log: Log;
}

/** `isQuick`: the browser is not started. */
export async function checkTools(deps: Deps, dataDir: string, config: MomConfig, isQuick: boolean): Promise<Finding[]> {
  return [
    ...(isQuick ? [] : [await checkChromium(deps, config)]),
    await checkSpeech(deps.io, config),
    checkSearch(config),
    ...(await checkCustomTools(deps.io, dataDir, config)),
  ];
}

/** With a profile of its own: a doctor changes nothing. */
async function checkChromium({ io, clock, log }: Deps, { tools }: MomConfig): Promise<Finding> {
  const check = "browser";
  const stateDir = await mkdtemp(join(tmpdir(), "mom-doctor-"));
  const found = await checkBrowser({ clock, log, stateDir, environment: io.env }, tools).finally(() =>
    rm(stateDir, { recursive: true, force: true }),
  );
  if (found.ok && found.hint === undefined) return ok(check, found.detail);
  // Nobody needs one who does not want it; one that is there and does not start is another matter.
  if (found.code === "BROWSER_MISSING") return ok(check, `none; for the browser tool: ${found.hint ?? found.detail}`);
  return warn(check, found.detail, found.hint ?? "Set tools.browser.executablePath to one that starts.");
}

async function checkSpeech(io: CliIo, { tools: { tts } }: MomConfig): Promise<Finding> {
  const check = "speech";
  const hasEndpoint = tts.apiKey !== undefined || tts.baseUrl !== undefined;
  if (tts.provider !== "espeak" && hasEndpoint) return ok(check, `${tts.model} by endpoint`);
  for (const folder of (io.env["PATH"] ?? "").split(":")) {
    const program = join(folder, "espeak-ng");
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && isThere) return ok(check, program);
  }
  return ok(check, "not set up; for the tts tool install espeak-ng, or set tools.tts.apiKey");
}

function checkSearch({ tools: { web } }: MomConfig): Finding {
  const check = "web search";
  const { provider, apiKey, baseUrl } = web.search;
  if (apiKey !== undefined || baseUrl !== undefined) return ok(check, provider ?? "set up");
  return ok(check, "not set up; for the web_search tool set tools.web.search.apiKey or baseUrl");
}

/** Only looked at: loading one runs its code. */
async function checkCustomTools({ env }: CliIo, dataDir: string, config: MomConfig): Promise<Finding[]> {
  const check = "custom tools";
  const { folders, problems } = await findCustomTools({ dataDir, env, config });
  return [
    ...(folders > 0 ? [ok(check, `${folders} found`)] : []),
    ...problems.map(({ path, message }) => warn(check, path, message)),
  ];
}
