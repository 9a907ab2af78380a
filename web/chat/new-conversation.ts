/** Begins the conversation afresh, as `/new` does. */
import { call, describeError, newKey } from "../connection.ts";
import { confirm, toast } from "../ui/index.ts";
import type { Chat } from "./chat-store.ts";

export async function startAfresh(chat: Chat): Promise<void> {
  const isSure = await confirm({
    title: "Begin a new conversation?",
    text: "mom forgets what was said here. The transcript is kept and can be read under Sessions.",
    action: "Begin afresh",
  });
  if (!isSure) return;
  try {
    await call("sessions.reset", { sessionKey: chat.sessionKey, idempotencyKey: newKey() });
    await chat.reload();
  } catch (error) {
    toast(describeError(error), "bad");
  }
}
