/**
 * A WebSocket client without manners, on a plain connection: it sends what no library would (torn frames, no mask, bad UTF-8) and
 * takes note of everything that comes back.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import type { AnyFrame } from "../fakes/gateway-rig.ts";

export interface RawLine {
  /** All that came, parsed. */
  frames: AnyFrame[];
  send(bytes: Buffer): void;
  /** Resolves when it is so, or when the line is closed; rejects when nothing of both comes to be. */
  until(isSo: () => boolean): Promise<void>;
  /** The code of the server's close frame; 1006: there was none. */
  closed: Promise<number>;
  readonly isClosed: boolean;
  destroy(): void;
}

export interface FrameOptions {
  opcode?: number;
  isLast?: boolean;
  isMasked?: boolean;
  reserved?: number;
  /** What its head says instead of the truth. */
  length?: number;
}

export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9 } as const;

export function encodeFrame(payload: Buffer | string, options: FrameOptions = {}): Buffer {
  const { opcode = opcodes.text, isLast = true, isMasked = true, reserved = 0 } = options;
  const body = typeof payload === "string" ? Buffer.from(payload) : payload;
  const length = options.length ?? body.length;
  const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
  const mask = isMasked ? 0x80 : 0;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 126) head[1] = mask | length;
  else if (length < 65_536) {
    head[1] = mask | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = mask | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  // A mask of zeros is as good as any, and leaves the payload as it is.
  return Buffer.concat([head, ...(isMasked ? [Buffer.alloc(4)] : []), body]);
}

/** As a library cuts a long message. */
export function encodeFragments(text: string, pieces: number): Buffer {
  const bytes = Buffer.from(text);
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  return Buffer.concat(
    parts.map((part, n) =>
      encodeFrame(part, { opcode: n === 0 ? opcodes.text : opcodes.more, isLast: n === parts.length - 1 }),
    ),
  );
}

const patienceMs = 8_000;

export async function openLine(port: number): Promise<RawLine> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.setNoDelay(true);
  const key = randomBytes(16).toString("base64");
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  const frames: AnyFrame[] = [];
  const waiters = new Set<() => void>();
  const over = Promise.withResolvers<number>();
  let rest: Buffer = Buffer.alloc(0);
  let isUpgraded = false;
  let isClosed = false;
  let code = 1006;

  const look = () => {
    for (const waiter of [...waiters]) waiter();
  };
  const take = (opcode: number, payload: Buffer) => {
    if (opcode === opcodes.text) frames.push(JSON.parse(payload.toString()));
    if (opcode !== opcodes.close) return;
    code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
    // The other end may have stopped reading: nobody waits for it to say goodbye, too.
    isClosed = true;
    socket.end(encodeFrame(payload.subarray(0, 2), { opcode: opcodes.close }));
    over.resolve(code);
  };
  const read = () => {
    for (;;) {
      const frame = readFrame(rest);
      if (!frame) return;
      rest = rest.subarray(frame.end);
      take(frame.opcode, frame.payload);
    }
  };
  socket.on("data", (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!isUpgraded) {
      const end = rest.indexOf("\r\n\r\n");
      if (end === -1) return;
      if (!rest.toString("latin1", 0, 12).endsWith("101")) {
        socket.destroy();
        return;
      }
      isUpgraded = true;
      rest = rest.subarray(end + 4);
    }
    read();
    look();
  });
  socket.on("close", () => {
    isClosed = true;
    over.resolve(code);
    look();
  });

  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!isSo() && !isClosed) return;
        waiters.delete(check);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiters.delete(check);
        reject(new Error("nothing came"));
      }, patienceMs);
      waiters.add(check);
      check();
    });
  await until(() => isUpgraded);
  return {
    frames,
    send: (bytes) => void (isClosed || socket.write(bytes)),
    until,
    closed: over.promise,
    get isClosed() {
      return isClosed;
    },
    destroy: () => void socket.destroy(),
  };
}

/** What a server sends: never masked. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + length) return undefined;
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(start, start + length), end: start + length };
}
