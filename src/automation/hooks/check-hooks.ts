/** What `mom doctor` says of hooks: those that stay closed, and scripts that would not be run. Changes nothing. */
import type { Finding } from "../../contracts/gateway.ts";
import type { HooksConfig } from "./config.ts";
import { findScriptFault } from "./find-script-fault.ts";
import { createVerifier } from "./verify-request.ts";

const check = "hooks";

/** `agentFolders`: those that agents can write, absolute. Nothing where nothing is set up. */
export async function checkHooks(
  { token, mappings, scripts }: HooksConfig,
  agentFolders: readonly string[],
): Promise<Finding[]> {
  const closed = Object.entries(mappings).filter(([, mapping]) => createVerifier(mapping, token) === undefined);
  const findings = closed.map(([name, { signature }]): Finding => {
    const fix = `mom config set hooks.mappings.${name}.secret${signature === "token" ? ", or hooks.token" : ""}`;
    return { check, level: "warn", detail: `/hooks/${name} stays closed: its secret is missing`, fix };
  });
  for (const { run } of scripts) {
    const fault = await findScriptFault(run, agentFolders);
    if (fault === undefined) continue;
    findings.push({
      check,
      level: "warn",
      detail: `A script is not run: ${fault}`,
      fix: "See hooks.scripts in the config.",
    });
  }
  const open = (token === undefined ? 0 : 2) + Object.keys(mappings).length - closed.length;
  if (findings.length > 0 || (open === 0 && scripts.length === 0)) return findings;
  return [{ check, level: "ok", detail: `${open} open, ${scripts.length} scripts` }];
}
