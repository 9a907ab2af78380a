/**
 * Sends on one WebSocket and knows what still waits there. Events may pile up only so far: who does not read them is hung up
 * on, and asks for what it missed. Answers are counted apart, because a client that asks for much is not slow for it.
 */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Clock } from "../../contracts/clock.ts";
import { closeCodes, maxUnsentBytes } from "../protocol/index.ts";

export interface Writer {
  /** False: it was not sent, because the other end is too slow or gone. */
  sendEvent(frame: Buffer): boolean;
  sendAnswer(frame: object): void;
  /** Hangs up where too much waits, whatever it is. */
  checkPace(): void;
  /** What comes in and what is sent after it counts for nothing. Twice is once. */
  close(code: number, reason: string): void;
  readonly isOpen: boolean;
}

/** Of answers: a client that asks on and on and does not read is slow, too. */
const maxUnsentAnswerBytes = 16 * 1024 * 1024;
/** So long the other end may take to read the rest and say goodbye. */
const closeWithinMs = 5_000;

/** `raw`: what the WebSocket stands on. */
export function createWriter(socket: WebSocket, raw: Duplex, clock: Clock): Writer {
  let isOpen = true;
  let answerBytes = 0;
  let isGathering = false;

  /** What is sent in one go leaves in one go: the system is asked once and not for every frame. */
  const gather = () => {
    if (isGathering) return;
    isGathering = true;
    raw.cork();
    process.nextTick(() => {
      isGathering = false;
      raw.uncork();
    });
  };

  const close = (code: number, reason: string) => {
    if (!isOpen) return;
    isOpen = false;
    socket.close(code, reason.slice(0, 100));
    const cancel = clock.after(closeWithinMs, () => socket.terminate());
    socket.once("close", cancel);
  };
  const isTooSlow = () => answerBytes > maxUnsentAnswerBytes || socket.bufferedAmount - answerBytes > maxUnsentBytes;
  const checkPace = () => {
    if (isOpen && isTooSlow()) close(closeCodes.tooSlow, "It was not read");
  };
  socket.once("close", () => {
    isOpen = false;
  });

  return {
    sendEvent(frame) {
      checkPace();
      if (!isOpen) return false;
      gather();
      socket.send(frame, { binary: false });
      return true;
    },
    sendAnswer(frame) {
      checkPace();
      if (!isOpen) return;
      const bytes = Buffer.from(JSON.stringify(frame));
      answerBytes += bytes.length;
      gather();
      socket.send(bytes, { binary: false }, () => {
        answerBytes -= bytes.length;
      });
    },
    checkPace,
    close,
    get isOpen() {
      return isOpen;
    },
  };
}
