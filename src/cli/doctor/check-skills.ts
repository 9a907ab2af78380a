/** The skills that mom would offer: how many, and what is wrong with the rest. */
import type { MomConfig } from "../../app/index.ts";
import type { CliIo } from "../io.ts";
import { listSkills } from "../skills/open-skills.ts";
import { type Finding, ok, warn } from "./finding.ts";

const check = "skills";

export async function checkSkills(io: CliIo, dataDir: string, config: MomConfig): Promise<Finding[]> {
  const { skills, diagnostics } = await listSkills(io, dataDir, config);
  const lacking = skills.filter(({ missing }) => missing.length > 0).length;
  return [
    ok(check, `${skills.length - lacking} can be used${lacking === 0 ? "" : `, ${lacking} lack something`}`),
    ...diagnostics.map(({ path, message }) => warn(check, `${path}: ${message}`, "`mom skills check` says more.")),
    ...skills.flatMap(({ name, warnings }) =>
      warnings.length === 0 ? [] : [warn(check, `${name}: ${warnings.join("; ")}`, "Read it before you trust it.")],
    ),
  ];
}
