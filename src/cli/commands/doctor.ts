/** `mom doctor`: looks at everything that can be wrong and says the fix. Changes nothing and needs no running mom. */
import { Command } from "commander";
import { createSystemClock } from "../../base/clock.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption, pickDataDir } from "../data-dir.ts";
import { checkChannels } from "../doctor/check-channels.ts";
import { checkConfig } from "../doctor/check-config.ts";
import { checkDatabase, checkDataDir, checkLock } from "../doctor/check-data-dir.ts";
import { checkFiles } from "../doctor/check-files.ts";
import { checkNode, checkSandbox, checkTerminal } from "../doctor/check-machine.ts";
import { checkModel } from "../doctor/check-model.ts";
import { checkSkills } from "../doctor/check-skills.ts";
import { checkTools } from "../doctor/check-tools.ts";
import type { Finding } from "../doctor/finding.ts";
import { readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { printJson, printLines } from "../print.ts";

interface Options {
  data?: string;
  offline?: true;
  json?: true;
}

export function buildDoctorCommand(io: CliIo): Command {
  return new Command("doctor")
    .description(
      "Finds what is wrong with a data directory and this machine, and says the fix. Exits with 1 if anything fails.",
    )
    .option("--offline", "ask no model and no chat platform, and start no browser")
    .option("--json", "print JSON")
    .option(...dataOption)
    .action(async (options: Options) => {
      const findings = await examine(io, options);
      if (options.json) printJson(io, { ok: !hasFailed(findings), findings });
      else printLines(io, formatFindings(findings));
      if (hasFailed(findings)) io.exit(1);
    });
}

async function examine(io: CliIo, options: Options): Promise<Finding[]> {
  const clock = createSystemClock();
  const deps = { io, clock, log: createSilentLog(clock) };
  const dataDir = pickDataDir(io, options.data);
  const folder = await checkDataDir(dataDir);
  const isThere = !hasFailed(folder);
  const { findings, config } = isThere ? await checkConfig(io, dataDir) : { findings: [], config: undefined };
  const machine = [
    checkNode(process.versions.node),
    await checkSandbox(deps, dataDir, config),
    ...(config ? await checkTools(deps, dataDir, config, options.offline === true) : []),
    checkTerminal(io),
  ];
  // Without a directory that can be used, the rest would only say so again.
  if (!isThere) return [...machine, ...folder];
  return [
    ...machine,
    ...folder,
    ...findings,
    ...(config ? await checkModel(deps, { dataDir, config, isOffline: options.offline === true }) : []),
    ...(config ? await checkChannels(deps, config, options.offline === true) : []),
    ...(config ? await checkSkills(io, dataDir, config) : []),
    checkLock(dataDir),
    checkDatabase(dataDir),
    ...(await checkFiles(dataDir, readHolderNow(dataDir) !== undefined)),
  ];
}

const hasFailed = (findings: readonly Finding[]) => findings.some(({ level }) => level === "fail");

const signs = { ok: "ok  ", warn: "warn", fail: "FAIL" };

function formatFindings(findings: readonly Finding[]): string[] {
  const lines = findings.flatMap(({ check, level, detail, fix }) => [
    `${signs[level]}  ${check}: ${detail}`,
    ...(fix === undefined ? [] : [`      fix: ${fix}`]),
  ]);
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [failed, warned] = [count("fail"), count("warn")];
  const verdict = failed > 0 ? `${failed} failed` : warned > 0 ? "nothing failed" : "all is well";
  return [...lines, "", warned > 0 ? `${verdict}, ${warned} ${warned === 1 ? "warning" : "warnings"}` : verdict];
}
