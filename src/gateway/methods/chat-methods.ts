/** Talking in a session and looking at it, as a chat screen does. */
import type { DeliveryId, SessionKey } from "../../contracts/ids.ts";
import type { ChannelAttachment } from "../../contracts/message.ts";
import { readConversation } from "../history/read-conversation.ts";
import type { CallContext } from "../parts.ts";
import { ensureAgent, ensureSession, findSession } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid, notFound } from "./refusals.ts";
import { deriveId, sayAs } from "./say-as.ts";
import { toApprovalSummary, toSessionSummary, toTurnSummary } from "./to-summary.ts";

type Names = "chat.send" | "chat.inject" | "chat.abort" | "chat.history" | "chat.commands";

const usualItems = 100;
const mostTurns = 50;
const mostApprovals = 500;

export function buildChatMethods(deps: MethodDeps): Group<Names> {
  const { house, events } = deps;
  return {
    async "chat.send"({ sessionKey, message = "", uploads = [], idempotencyKey }, context) {
      if (message === "" && uploads.length === 0) throw invalid("chat.send: there is neither a message nor a file");
      const { key } = await findSession(house, sessionKey);
      const messageId = deriveId(context.identity, "chat.send", idempotencyKey);
      const attachments = await takeUploads(deps, context, uploads, { key, messageId });
      return sayAs(house, context, { messageId, text: message, attachments, to: { type: "session", sessionKey: key } });
    },
    async "chat.inject"({ sessionKey, message, idempotencyKey }, { identity }) {
      const session = await ensureSession(house, sessionKey);
      const deliveryId = `inject-${deriveId(identity, "chat.inject", idempotencyKey)}`;
      await house.post(session, message, deliveryId as DeliveryId);
      return { deliveryId };
    },
    async "chat.abort"({ sessionKey }) {
      const { key } = await findSession(house, sessionKey);
      return { stopped: await house.stop(key) };
    },
    async "chat.history"({ sessionKey, limit = usualItems }) {
      const { key, session } = await findSession(house, sessionKey);
      // Asked for first: what happens while the rest is read comes again as an event, and none is missed.
      const lastEventId = events.lastId;
      const { turns, approvals } = house.store;
      const waiting = (await approvals.list({ states: ["pending"], limit: mostApprovals })).filter(
        (approval) => approval.sessionKey === key,
      );
      const isRunning = house.isRunning(key);
      const waitingCalls = new Set(waiting.map(({ toolCallId }) => toolCallId));
      const { items, isCut } = session
        ? await readConversation(house, session, limit, { isRunning, waitingCalls })
        : { items: [], isCut: false };
      const open = await turns.list({
        sessionKey: key,
        states: ["received", "queued", "running", "delivering"],
        limit: mostTurns,
      });
      return {
        ...(session && { session: toSessionSummary(session, isRunning) }),
        items,
        isCut,
        turns: open.map(toTurnSummary),
        approvals: waiting.map(toApprovalSummary),
        lastEventId,
      };
    },
    async "chat.commands"({ agentId }) {
      const { id } = await ensureAgent(house, agentId);
      const commands = await house.commands(id);
      return {
        commands: commands.map(({ name, summary, usage, kind }) => ({
          name,
          summary,
          ...(usage !== undefined && { usage }),
          kind,
        })),
      };
    },
  };
}

async function takeUploads(
  { house, files }: MethodDeps,
  { identity }: CallContext,
  uploads: readonly string[],
  { key, messageId }: { key: SessionKey; messageId: string },
): Promise<ChannelAttachment[]> {
  if (uploads.length === 0) return [];
  // Sent again after a restart: the files went with the message, and it will be recognised.
  if (await house.store.turns.ofMessage(house.chatOf(key), messageId)) return [];
  const ids = [...new Set(uploads)];
  // All or none: what is refused can be sent again with the files that are there.
  const missing = ids.find((id) => !files.hasUpload(id, identity, key));
  if (missing !== undefined) throw notFound(`uploaded file ${missing} (any more); upload it again`);
  return ids.flatMap((id) => files.takeUpload(id, identity, key) ?? []);
}
