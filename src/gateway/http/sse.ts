/**
 * A stream of server-sent events to one client, no faster than it reads. While nothing happens a comment shows proxies and
 * the client that somebody is still there.
 */
import type { ServerResponse } from "node:http";
import type { Clock } from "../../contracts/clock.ts";

export interface EventStream {
  /** Resolves when there is room for more, or the client has gone. */
  send(data: unknown, event?: string): Promise<void>;
  /** A last line that is no JSON, if any, and the end. */
  end(last?: string): void;
}

const keepAliveMs = 15_000;
/** A client that has read nothing for so long is hung up on. */
const mostPatienceMs = 60_000;

export function openEventStream(
  { response, clock }: { response: ServerResponse; clock: Clock },
  headers: Record<string, string>,
): EventStream {
  let cancelKeepAlive = () => {};
  let isFull = false;
  const keepAlive = () => {
    cancelKeepAlive();
    cancelKeepAlive = clock.after(keepAliveMs, () => {
      if (!isFull) response.write(": keep-alive\n\n");
      keepAlive();
    });
  };
  response.once("close", () => cancelKeepAlive());
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  keepAlive();

  return {
    async send(data, event) {
      if (response.destroyed) return;
      const text = `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
      keepAlive();
      if (response.write(text)) return;
      isFull = true;
      await whenDrained(response, clock);
      isFull = false;
    },
    end(last) {
      cancelKeepAlive();
      response.end(last === undefined ? undefined : `data: ${last}\n\n`);
    },
  };
}

function whenDrained(response: ServerResponse, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    const cancel = clock.after(mostPatienceMs, () => response.destroy());
    response.on("drain", done);
    response.on("close", done);
  });
}
