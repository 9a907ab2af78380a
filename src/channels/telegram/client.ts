/** The Bot API's client: grammY's, unmodified, with connections of our own so that none is left behind. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Api, type RawApi } from "grammy";

export interface TelegramClient {
  /** Methods as the Bot API documents them; they throw grammY's errors (see `failure.ts`). Nothing is retried. */
  api: RawApi;
  /** Where a file can be fetched. The address holds the token: never show it. */
  fileUrl(path: string): string;
  /** Idle connections are closed; calls under way end by themselves. */
  close(): void;
}

const publicUrl = "https://api.telegram.org";
/** Longer than a long poll takes, shorter than the outbox waits for a post. */
const callTimeoutSeconds = 55;
/** Less than any server keeps a connection: a call on one that is just being closed would end in doubt. */
const idleMs = 3_000;

export function createTelegramClient({
  botToken,
  apiUrl,
}: {
  botToken: string;
  apiUrl?: string | undefined;
}): TelegramClient {
  const apiRoot = (apiUrl ?? publicUrl).replace(/\/+$/, "");
  const agentOptions = { keepAlive: true, timeout: idleMs };
  const agent = apiRoot.startsWith("https:") ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const options = { apiRoot, timeoutSeconds: callTimeoutSeconds, baseFetchConfig: { agent, compress: true } };
  return {
    api: new Api(botToken, options).raw,
    fileUrl: (path) => `${apiRoot}/file/bot${botToken}/${path.split("/").map(encodeURIComponent).join("/")}`,
    close() {
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    },
  };
}
