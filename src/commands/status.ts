/** `/status`: how mom is, in a few lines. */
import type { Command } from "../contracts/command.ts";

export interface StatusFacts {
  version: string;
  model: string;
  uptimeMs: number;
  /** Resident memory, bytes. */
  memoryBytes: number;
  running: number;
  waiting: number;
  pendingPosts: number;
  /** Longest time the event loop was held, milliseconds. */
  worstStallMs: number;
  adapters: { name: string; state: string }[];
}

export function buildStatusCommand(status: () => Promise<StatusFacts>): Command {
  return {
    name: "status",
    summary: "model, load and channels",
    immediate: true,
    async run({ session }) {
      const facts = await status();
      // The command that asks is a turn too.
      const running = Math.max(0, facts.running - 1);
      return [
        `mom ${facts.version}, up ${formatDuration(facts.uptimeMs)}, ${Math.round(facts.memoryBytes / 2 ** 20)} MiB`,
        `- model: ${facts.model}`,
        `- session: \`${session.sessionKey}\`, ${session.totalTokens} tokens${session.cost > 0 ? `, $${session.cost.toFixed(4)}` : ""}`,
        `- turns: ${running} running, ${facts.waiting} waiting; ${facts.pendingPosts} posts to deliver`,
        `- channels: ${facts.adapters.map(({ name, state }) => `${name} (${state})`).join(", ") || "none"}`,
        `- longest stall: ${Math.round(facts.worstStallMs)} ms`,
      ].join("\n");
    },
  };
}

export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
