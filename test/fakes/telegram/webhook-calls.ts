/**
 * Telegram as the one who calls: while a webhook is set, every update is posted there until it is answered with 2xx, chats
 * side by side, each in order. What could not be delivered waits; `getWebhookInfo` tells why.
 */
import type { Update, UpdateLine } from "./update-line.ts";

export interface WebhookState {
  webhookUrl: string;
  /** Sent along with every call. */
  webhookSecret: string;
  /** As `getWebhookInfo` has it. */
  webhookError: { date: number; message: string } | undefined;
}

export interface WebhookCallsParts {
  line: UpdateLine;
  state: WebhookState;
  /** Where an address of the internet is in this test: the reverse proxy. Absent: nobody can be called. */
  reach: ((url: string) => string) | undefined;
  now(): number;
  onChange(): void;
}

export interface WebhookCalls {
  /** Something may be there to deliver. */
  wake(): void;
  close(): void;
}

/** Telegram waits longer with every failure, up to a minute. */
const retryMs = 20;

export function createWebhookCalls({ line, state, reach, now, onChange }: WebhookCallsParts): WebhookCalls {
  const calling = new Set<string>();
  const closed = new AbortController();

  async function deliver(url: string, update: Update): Promise<boolean> {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(state.webhookSecret !== "" && { "x-telegram-bot-api-secret-token": state.webhookSecret }),
        },
        body: JSON.stringify(update),
        signal: closed.signal,
      });
      await response.arrayBuffer();
      if (response.ok) return true;
      fail(`Wrong response from the webhook: ${response.status} ${response.statusText}`);
    } catch {
      fail("Connection refused");
    }
    return false;
  }
  const fail = (message: string) => {
    state.webhookError = { date: Math.floor(now() / 1_000), message };
  };
  async function call(chat: string, update: Update): Promise<void> {
    const url = state.webhookUrl;
    if (reach && (await deliver(reach(url), update))) line.drop(update);
    else if (!closed.signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    calling.delete(chat);
    if (closed.signal.aborted) return;
    onChange();
    wake();
  }
  function wake(): void {
    if (!reach || state.webhookUrl === "" || closed.signal.aborted) return;
    for (const update of line.pending()) {
      const chat = chatOf(update);
      if (calling.has(chat)) continue;
      calling.add(chat);
      void call(chat, update);
    }
  }
  return { wake, close: () => closed.abort() };
}

/** Updates without a chat have one queue together. */
function chatOf(update: Update): string {
  const { update_id: _id, ...content } = update;
  const [event] = Object.values(content) as { chat?: { id: number }; message?: { chat?: { id: number } } }[];
  return String(event?.chat?.id ?? event?.message?.chat?.id);
}
