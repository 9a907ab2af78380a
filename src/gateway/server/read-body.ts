/**
 * A request's body, piece by piece: never more than was allowed, and never slower than a bad line would be. What is too slow
 * or too much is a `GatewayFault` that names its HTTP status. The socket stays as it is: the answer goes over it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../contracts/clock.ts";
import { GatewayFault } from "../protocol/index.ts";

export interface BodySource {
  request: IncomingMessage;
  response: ServerResponse;
  clock: Clock;
}

/** In each span of this length so many bytes must come, or the end. */
const spanMs = 30_000;
const leastBytesPerSpan = 16 * 1024;

export async function readWhole(source: BodySource, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readPieces(source, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function* readPieces({ request, response, clock }: BodySource, maxBytes: number): AsyncGenerator<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.headers.expect !== undefined) response.writeContinue();
  const pace = watchPace(clock);
  const pieces: AsyncIterator<Buffer, undefined> = request.iterator({ destroyOnReturn: false });
  let total = 0;
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), pace.tooSlow]);
      if (next.done) return;
      total += next.value.length;
      pace.came(next.value.length);
      if (total > maxBytes) throw tooLarge(maxBytes);
      yield next.value;
    }
  } catch (error) {
    throw error instanceof GatewayFault ? error : cutOff();
  } finally {
    pace.stop();
    pieces.return?.(undefined).catch(() => undefined);
  }
}

function watchPace(clock: Clock): { tooSlow: Promise<never>; came(bytes: number): void; stop(): void } {
  const slow = Promise.withResolvers<never>();
  // Who reads has gone by then, mostly.
  slow.promise.catch(() => undefined);
  let inSpan = 0;
  let cancel = () => {};
  const watch = () => {
    inSpan = 0;
    cancel = clock.after(spanMs, () => (inSpan < leastBytesPerSpan ? slow.reject(tooSlow()) : watch()));
  };
  watch();
  return {
    tooSlow: slow.promise,
    came: (bytes) => {
      inSpan += bytes;
    },
    stop: () => cancel(),
  };
}

const tooLarge = (maxBytes: number) => fault(413, `The body is larger than the ${maxBytes} bytes that may come.`);
const tooSlow = () => fault(408, "The body comes too slowly.");
const cutOff = () => fault(400, "The body broke off.");
const fault = (status: number, message: string) =>
  new GatewayFault({ code: "INVALID_REQUEST", message, details: { status } });
