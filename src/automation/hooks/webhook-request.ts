/** What a request to a hook asks for, read from its body: a word to the owner, or a turn of its own. */
import { z } from "zod";
import { toPrintable } from "../../base/printable.ts";
import type { HookMapping } from "./config.ts";
import { fillTemplate, maxTextChars } from "./fill-template.ts";
import type { Headers } from "./verify-request.ts";

export type HookOrder = { agentId: string; text: string } & (
  | { type: "wake"; isHeard: boolean }
  | {
      type: "agent";
      /** Names the session: `hook-<name>`. */
      name: string;
      deliver: boolean;
      channel?: string;
      to?: string;
      model?: string;
      thinking?: "off" | "low" | "medium" | "high";
      timeoutSeconds?: number;
    }
);

export type ReadOrder = { type: "order"; order: HookOrder } | { type: "bad"; message: string };

const text = z.string().trim().min(1).max(maxTextChars);
const agentId = z.string().min(1).max(64).default("main");
const wakeBody = z.strictObject({ text, mode: z.enum(["now", "next-heartbeat"]).default("now"), agentId });
const agentBody = z.strictObject({
  message: text,
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, "letters, digits, dots, dashes and underscores only, at most 40")
    .default("agent"),
  agentId,
  deliver: z.boolean().default(true),
  channel: z.string().min(1).max(64).default("last"),
  to: z.string().min(1).max(300).exactOptional(),
  model: z.string().min(1).max(200).exactOptional(),
  thinking: z.enum(["off", "low", "medium", "high"]).exactOptional(),
  timeoutSeconds: z.int().min(1).max(3600).exactOptional(),
});

export function readWake(body: unknown): ReadOrder {
  const read = wakeBody.safeParse(body);
  if (!read.success) return toBad(read.error);
  const { mode, ...rest } = read.data;
  return { type: "order", order: { type: "wake", ...rest, isHeard: mode === "next-heartbeat" } };
}

export function readAgent(body: unknown): ReadOrder {
  const read = agentBody.safeParse(body);
  if (!read.success) return toBad(read.error);
  const { message, ...rest } = read.data;
  if (rest.to !== undefined && rest.channel === "last") {
    return { type: "bad", message: "to: name the adapter it belongs to in channel" };
  }
  return { type: "order", order: { type: "agent", text: message, ...rest } };
}

export function readMapped(name: string, mapping: HookMapping, body: unknown, headers: Headers): ReadOrder {
  const filled = fillTemplate(mapping.text, body, headers).trim();
  if (filled === "") return { type: "bad", message: "the template gives no text for this body" };
  const { action, mode, deliver, chat, model, thinking, timeoutSeconds } = mapping;
  const common = { agentId: mapping.agentId, text: filled };
  if (action === "wake") {
    return { type: "order", order: { type: "wake", ...common, isHeard: mode === "next-heartbeat" } };
  }
  const order: HookOrder = {
    type: "agent",
    ...common,
    name,
    deliver,
    ...toTarget(chat),
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  };
  return { type: "order", order };
}

function toTarget(chat: string | undefined): { channel: string; to?: string } {
  if (chat === undefined) return { channel: "last" };
  const slash = chat.indexOf("/");
  return { channel: chat.slice(0, slash), to: chat.slice(slash + 1) };
}

function toBad(error: z.ZodError): ReadOrder {
  const [issue] = error.issues;
  const where = issue?.path.join(".");
  return {
    type: "bad",
    message: toPrintable(`${where ? `${where}: ` : ""}${issue?.message ?? "bad body"}`).slice(0, 300),
  };
}
