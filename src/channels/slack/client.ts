/**
 * The calls to Slack's Web API, through the SDK with its own retries off: every call has a time limit, ends when the adapter
 * stops, and a failure is a value. A token that Slack no longer accepts is told of, whichever call finds out.
 */
import { type FetchFunction, type Logger, LogLevel, WebClient, type WebClientOptions } from "@slack/web-api";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { SlackConfig } from "./config.ts";
import { type SlackFault, toFault } from "./fault.ts";

export type Answer<T> = { type: "ok"; value: T } | SlackFault;

export interface SlackClient {
  /** One call. Never rejects. */
  call<T>(run: (web: WebClient) => Promise<T>): Promise<Answer<T>>;
  /** For addresses that Slack names: uploads. The same time limit. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** For the socket's client. */
  options: WebClientOptions & { logger: Logger };
  /** May the token be shown to this address? */
  isOwnHost(url: URL): boolean;
  /** Aborted when the adapter stops. */
  signal: AbortSignal;
  stop(): void;
}

export interface SlackClientDeps {
  clock: Clock;
  log: Log;
  /** A call found out that the token is not accepted. */
  onLoginRefused?(error: string): void;
}

const callTimeoutMs = 30_000;
const uploadTimeoutMs = 50_000;

type ClientConfig = Pick<SlackConfig, "botToken" | "apiUrl">;

export function createSlackClient({ clock, log, onLoginRefused }: SlackClientDeps, config: ClientConfig): SlackClient {
  const stopped = new AbortController();
  const fetchWithin =
    (limitMs: number): SlackClient["fetch"] =>
    async (url, init) => {
      const late = new AbortController();
      const cancel = clock.after(limitMs, () => late.abort(new Error(`no answer within ${limitMs / 1000} s`)));
      try {
        const response = await fetch(url, { ...init, signal: AbortSignal.any([stopped.signal, late.signal]) });
        // Read here, so that an answer that breaks off is the same failure as none.
        const body = await response.arrayBuffer();
        const { status, statusText, headers } = response;
        return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
      } finally {
        cancel();
      }
    };
  const options = {
    slackApiUrl: config.apiUrl ?? "https://slack.com/api/",
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // The SDK writes down the types of the same standard by itself.
    fetch: fetchWithin(callTimeoutMs) as FetchFunction,
    logger: buildSdkLogger(log),
  };
  const web = new WebClient(config.botToken, { ...options });
  const ownHost = new URL(options.slackApiUrl);
  return {
    async call(run) {
      try {
        return { type: "ok", value: await run(web) };
      } catch (error) {
        const fault = toFault(error);
        if (fault.type === "login") onLoginRefused?.(fault.error);
        return fault;
      }
    },
    fetch: fetchWithin(uploadTimeoutMs),
    options,
    isOwnHost({ protocol, host, hostname }) {
      if (protocol === ownHost.protocol && host === ownHost.host) return true;
      return protocol === "https:" && ["slack.com", ownHost.hostname].some((own) => hostname.endsWith(`.${own}`));
    },
    signal: stopped.signal,
    stop: () => stopped.abort(new Error("the adapter was stopped")),
  };
}

/** The SDK's own words are only for whoever looks closely: what matters of a failure is in its value. */
function buildSdkLogger(log: Log): Logger {
  const write = (...words: unknown[]) => log.debug("The Slack SDK says", { words: words.map(String).join(" ") });
  return {
    // Whole requests and answers, with people's messages in them.
    debug: () => undefined,
    info: write,
    warn: write,
    error: write,
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
