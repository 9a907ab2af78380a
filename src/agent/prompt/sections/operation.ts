/** How mom is run: her own settings, models by short name, event files, heartbeats, and the line that says where this is. */
import { inOrder } from "../in-order.ts";
import { toBlock, toLine } from "../plain-line.ts";
import { hasTool, type PromptFacts } from "../prompt-facts.ts";

const maxNameChars = 128;
const maxHeartbeatChars = 300;

export function selfUpdate(facts: PromptFacts): string | undefined {
  if (!hasTool(facts, "gateway")) return undefined;
  return "gateway reads and changes your own settings and restarts you. Use it only when an owner asks for just that: look at the schema first, patch as little as possible, and say so before you restart.";
}

export function modelAliases({ aliases = {} }: PromptFacts): string | undefined {
  const lines = inOrder(Object.entries(aliases), ([alias]) => alias).map(
    ([alias, model]) => `- ${toLine(alias, maxNameChars)}: ${toLine(model, maxNameChars)}`,
  );
  return lines.length > 0 ? ["Short names, wherever a model can be named:", ...lines].join("\n") : undefined;
}

export function events({ eventsDoc }: PromptFacts): string | undefined {
  return toBlock(eventsDoc ?? "") || undefined;
}

export function heartbeats({ heartbeatPrompt }: PromptFacts): string | undefined {
  const prompt = toLine(heartbeatPrompt ?? "", maxHeartbeatChars);
  if (prompt === "") return undefined;
  return `Now and then you are woken apart from this conversation with "${prompt}". What you say then stands here as [HEARTBEAT]. What you are to look after regularly goes into HEARTBEAT.md; take out what is done.`;
}

export function runtime(facts: PromptFacts): string {
  const { session, host, repo, model, adapterType, capabilities, thinking } = facts;
  const parts: [name: string, value: string | undefined][] = [
    ["agent", session.agentId],
    ["host", host?.name],
    ["repo", repo],
    ["os", host && `${host.os} (${host.arch})`],
    ["node", host?.node],
    ["model", model],
    ["channel", adapterType],
    ["capabilities", capabilities && [...new Set(capabilities)].sort().join(",")],
    ["thinking", thinking],
  ];
  const known = parts.flatMap(([name, value]) => (value ? `${name}=${toLine(value, maxNameChars * 2)}` : []));
  return `Runtime: ${known.join(" | ")}`;
}
