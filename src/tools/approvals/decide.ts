/**
 * May this call run as it is, must somebody allow it, or not at all? Pure: what is known of the session and of rules is
 * passed in. Asked by the desk for every call that has passed tool policy.
 */
import type { SessionType } from "../../contracts/session.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { ExecPolicy, SecurityConfig } from "./config.ts";

/** What the configuration says for one tool in one session. */
export interface ApprovalPolicy {
  exec: ExecPolicy;
  /** The tool is under `tools.approve`. */
  isMarked: boolean;
  untrusted: SecurityConfig["untrusted"];
  timeoutMs: number;
}

export interface DecideInput {
  tool: Pick<Tool, "name" | "needsApproval" | "isOutward">;
  params: unknown;
  sessionType: SessionType;
  policy: ApprovalPolicy;
  /** Where text in the session's context came from, if it came from outside; undefined: from its owner alone. */
  taint: string | undefined;
  /** Rules that an admin gave for good cover the call. */
  isListed: boolean;
}

export type Decision =
  | { type: "run" }
  | { type: "refuse"; text: string; code: "EXEC_DENIED" | "EXEC_NOT_LISTED" | "OUTSIDE_BLOCKED" }
  /** `reason`: why it is asked, one sentence for people. */
  | { type: "ask"; reason: string };

export function decide({ tool, params, sessionType, policy, taint, isListed }: DecideInput): Decision {
  const exec = isExec(tool.name, params) ? policy.exec : "full";
  if (execDenies(exec)) {
    return refuse(
      "EXEC_DENIED",
      `programs may not be run in this kind of conversation (${execKeyOf(sessionType)}, or the agent's own tools.exec, says deny). Do without; only the operator can change that.`,
    );
  }
  if (exec === "allowlist" && !isListed) {
    return refuse(
      "EXEC_NOT_LISTED",
      'only commands that an admin has allowed for good may be run here, and this is none of them. `/allowlist` shows them. Do without, or use a plain command that is listed: no variables, substitutions or redirections. An admin adds one with `/allowlist add <command>`, or on my machine with `mom approvals allow "<command>"`.',
    );
  }
  const isTriggered = taint !== undefined && tool.isOutward?.(params) === true;
  if (isTriggered && policy.untrusted === "block") {
    return refuse(
      "OUTSIDE_BLOCKED",
      `this acts on the world, and text from outside is in this conversation (${taint}). Tell the person what you would do; \`/new\` begins a conversation without that text.`,
    );
  }
  if (isListed) return { type: "run" };
  const reasons = [
    ...(exec === "ask" ? ["programs are run here only after an admin has said yes"] : []),
    ...(policy.isMarked ? ["this tool is asked for every time (tools.approve)"] : []),
    ...(tool.needsApproval?.(params) ? ["this tool wants to be allowed every time"] : []),
    ...(isTriggered && policy.untrusted === "ask"
      ? [`it acts on the world, and text from outside is in the conversation (${taint})`]
      : []),
  ];
  return reasons.length === 0 ? { type: "run" } : { type: "ask", reason: reasons.join("; ") };
}

/** Under this policy no program is ever started: `bash` is of no use. */
export const execDenies = (policy: ExecPolicy): boolean => policy === "deny";

/** Where the config has the word for such sessions. */
export const execKeyOf = (sessionType: SessionType): string => `tools.exec.approvals.${sessionType}`;

/** Starts a program, or tells a running one what to do: the exec policy is for these. */
export function isExec(name: string, params: unknown): boolean {
  if (name === "bash") return true;
  const action = typeof params === "object" && params !== null && "action" in params ? params.action : undefined;
  return name === "process" && action === "write";
}

/** Could rules make a difference? Looking them up means parsing the command and finding its programs. */
export const needsRules = (input: Omit<DecideInput, "isListed">): boolean =>
  decide({ ...input, isListed: true }).type === "run" && decide({ ...input, isListed: false }).type !== "run";

const refuse = (code: Extract<Decision, { type: "refuse" }>["code"], text: string): Decision => ({
  type: "refuse",
  text: `Not done: ${text}`,
  code,
});
