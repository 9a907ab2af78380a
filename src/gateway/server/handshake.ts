/**
 * A WebSocket before it is let in: little time, few bytes, one challenge. Ends in `onIn`, or with the socket closed. Nothing
 * that a stranger sends is kept longer than that.
 */
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { AuthAnswer, Authenticator } from "../auth/authenticator.ts";
import { closeCodes, type Hello, helloWithinMs, maxHelloBytes, type ProtocolError } from "../protocol/index.ts";
import { parseHello, sizeOf } from "./parse-frame.ts";
import type { Writer } from "./writer.ts";

export interface Stranger {
  socket: WebSocket;
  /** What the WebSocket stands on. */
  raw: Duplex;
  writer: Writer;
  address: string;
}

export type LetIn = Extract<AuthAnswer, { type: "in" }>;

interface HandshakeDeps {
  clock: Clock;
  log: Log;
  authenticator: Pick<Authenticator, "judgeHello">;
  /** Called at the moment of the decision. */
  onIn(hello: Hello, answer: LetIn): void;
}

/** Two hellos and their wrapping. The WebSocket's own limit is that of clients who are let in. */
const mostBytes = 2 * maxHelloBytes + 1024;

export function startHandshake(stranger: Stranger, { clock, log, authenticator, onIn }: HandshakeDeps): void {
  const { socket, raw, writer, address } = stranger;
  let nonce: string | undefined;
  let isJudging = false;
  let bytes = 0;

  const leave = () => {
    cancelTimer();
    socket.off("message", onMessage);
    raw.off("data", count);
  };
  const hangUp = (code: number, reason: string) => {
    leave();
    writer.close(code, reason);
  };
  const refuse = (error: ProtocolError, code: number = closeCodes.notPaired) => {
    writer.sendAnswer({ type: "hello-error", error });
    hangUp(code, error.message);
  };
  const tooMuch = () => {
    hangUp(closeCodes.tooLarge, "That is too much for a hello");
    // Not even to be thrown away: what comes would be put together first.
    socket.pause();
  };
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) tooMuch();
  };
  const onAnswer = (hello: Hello, answer: AuthAnswer) => {
    isJudging = false;
    if (!writer.isOpen) return;
    if (answer.type === "refused") return refuse(answer.error);
    if (answer.type === "challenge") {
      nonce = answer.nonce;
      return writer.sendAnswer(answer);
    }
    leave();
    onIn(hello, answer);
  };
  const onMessage = (data: RawData, isBinary: boolean) => {
    if (sizeOf(data) > maxHelloBytes) return tooMuch();
    if (isJudging) return refuse(invalid(["wait for the answer to the first hello"]), closeCodes.noHello);
    const parsed = parseHello(data, isBinary);
    if (parsed.type === "bad") return refuse(invalid(parsed.problems), closeCodes.noHello);
    isJudging = true;
    authenticator
      .judgeHello(parsed.frame, { address, nonce }, (answer) => onAnswer(parsed.frame, answer))
      .catch((error: unknown) => {
        log.error("A hello could not be judged", { error });
        refuse({
          code: "UNAVAILABLE",
          message: "Something went wrong inside mom.",
          retryable: true,
          retryAfterMs: 5_000,
        });
      });
  };

  const cancelTimer = clock.after(helloWithinMs, () => hangUp(closeCodes.noHello, "No hello came in time"));
  socket.on("message", onMessage);
  socket.once("close", leave);
  raw.on("data", count);
}

const invalid = (problems: string[]): ProtocolError => ({
  code: "INVALID_REQUEST",
  message: `That is no good hello: ${problems.join("; ")}.`,
});
