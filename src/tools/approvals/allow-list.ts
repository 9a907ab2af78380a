/** The allow-list for one call: do an agent's rules cover it, and what would `always` store? Asked by the desk, and by people who add to it. */
import { basename } from "node:path";
import type { AllowRule, ApprovalSubject, Approvals, SuggestedRules } from "../../contracts/approval.ts";
import { loadParser } from "./catalog.ts";
import type { FindProgram } from "./find-program.ts";
import type { Shell } from "./read-word.ts";
import { buildRules, matchRules, type ResolvedCommand, resolveCommands } from "./rules.ts";
import { toShellLine } from "./subject.ts";

export interface RuleGround {
  findProgram: FindProgram;
}

export interface AllowList {
  covers(agentId: string, subject: ApprovalSubject): Promise<boolean>;
  /** Empty where it must be asked every time. */
  suggest(subject: ApprovalSubject): Promise<AllowRule[]>;
}

export function createAllowList(deps: RuleGround & { approvals: Pick<Approvals, "rules"> }): AllowList {
  const read = async (subject: ApprovalSubject): Promise<ResolvedCommand[]> => {
    const line = toShellLine(subject);
    // Rules say nothing of variables, and some of those (PATH, LD_PRELOAD) make another program of the same name.
    if (line === undefined || Object.keys(subject.exact.env).length > 0) return [];
    const found = await readCommands(deps, line.command, line.shell);
    return found.type === "commands" ? found.commands : [];
  };
  return {
    async covers(agentId, subject) {
      const rules = await deps.approvals.rules(agentId);
      return rules.length > 0 && matchRules(await read(subject), rules);
    },
    suggest: async (subject) => buildRules(await read(subject)),
  };
}

/** What would allow this command line for good, as the tool `bash` would run it. */
export async function suggestRules(ground: RuleGround, command: string): Promise<SuggestedRules> {
  const found = await readCommands(ground, command, "bash");
  if (found.type === "none") return found;
  const rules = buildRules(found.commands);
  if (rules.length > 0) return { type: "rules", rules };
  return { type: "none", why: "what is piped into one of its programs could be orders to it" };
}

async function readCommands(
  { findProgram }: RuleGround,
  command: string,
  shell: Shell,
): Promise<{ type: "commands"; commands: ResolvedCommand[] } | Extract<SuggestedRules, { type: "none" }>> {
  const parseCommand = await loadParser();
  const parsed = parseCommand(command, shell);
  if (parsed.type === "complex") return { type: "none", why: parsed.why };
  const resolved = await resolveCommands(parsed.commands, findProgram);
  if (resolved.type === "unresolved") {
    return { type: "none", why: `\`${resolved.name}\` is no program whose file is certain not to change` };
  }
  if (resolved.commands.some(isGit)) {
    return { type: "none", why: "git runs whatever programs a folder's own settings name" };
  }
  return { type: "commands", commands: resolved.commands };
}

/** Reading is enough: differs, filters and text converters are programs that `.git/config` and `.gitattributes` name. */
const isGit = ({ program }: ResolvedCommand) => /^git(?:-|$)/.test(basename(program));
