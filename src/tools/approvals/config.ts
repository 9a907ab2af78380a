/** What of the configuration approvals hang on: `tools.exec`, `tools.approve`, `security`; and what it means for one session. */
import { z } from "zod";
import type { SessionType } from "../../contracts/session.ts";

const execPolicy = z.enum(["deny", "allowlist", "ask", "full"]);
export type ExecPolicy = z.infer<typeof execPolicy>;

const byType = z.strictObject({
  main: execPolicy.optional(),
  dm: execPolicy.optional(),
  group: execPolicy.optional(),
  topic: execPolicy.optional(),
  subagent: execPolicy.optional(),
  cron: execPolicy.optional(),
});

const approvals = z
  .union([execPolicy, byType])
  .describe(
    "deny: no programs. allowlist: only those that an admin has allowed for good. ask: the others after an admin has said yes. full: all. One word, or one per session type: main, dm, group, topic, subagent, cron.",
  );

export const execConfig = z
  .strictObject({
    approvals: approvals.default({}),
    timeoutSeconds: z
      .int()
      .min(10)
      .max(24 * 3600)
      .default(300)
      .describe("How long a question waits for its answer; after that it counts as no. Also for tools under approve."),
  })
  .describe("Under which approvals programs are run (the tools bash and process).");

/** What an agent has of its own; it stands in for the same word under tools.exec. */
export const agentExecConfig = z
  .strictObject({ approvals: approvals.optional() })
  .describe("The same as tools.exec, for this agent.");

export const approveConfig = z
  .array(z.string().min(1))
  .default([])
  .describe("Tools that an admin must allow call by call: names, group:<name>, or patterns with *.");

export const securityConfig = z
  .strictObject({
    untrusted: z
      .enum(["ask", "block", "allow"])
      .default("ask")
      .describe(
        "What happens when a tool would act on the world after text from outside (web pages, mail, files and messages of others) came into the conversation: ask an admin, block it, or allow it.",
      ),
  })
  .describe("How far text from outside is trusted.");

export type ExecConfig = z.infer<typeof execConfig>;
export type AgentExecConfig = z.infer<typeof agentExecConfig>;
export type SecurityConfig = z.infer<typeof securityConfig>;

const defaults: Record<SessionType, ExecPolicy> = {
  main: "full",
  cron: "full",
  subagent: "full",
  dm: "deny",
  group: "deny",
  topic: "deny",
};

/** The agent's own word, else that of all, else the default of the session's type. */
export function pickExecPolicy(
  sessionType: SessionType,
  exec: Pick<ExecConfig, "approvals">,
  agentExec?: AgentExecConfig,
): ExecPolicy {
  const said = [agentExec?.approvals, exec.approvals].map((word) =>
    typeof word === "string" ? word : word?.[sessionType],
  );
  return said.find((word) => word !== undefined) ?? defaults[sessionType];
}
