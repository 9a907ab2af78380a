/** `mom doctor`: looks at everything that can be wrong and says the fix. Changes nothing and needs no running mom. */
import { Command } from "commander";
import { dataOption } from "../data-dir.ts";
import { type ExamineOptions, examine, hasFailed } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import type { CliIo } from "../io.ts";
import { printJson, printLines } from "../print.ts";

interface Options extends ExamineOptions {
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
