/** Sends an open file as the body of an answer, in the pace of whoever reads; one that stops reading is cut off. */
import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import type { Clock } from "../../contracts/clock.ts";

const pieceBytes = 64 * 1024;
const stalledAfterMs = 30_000;

/** `end` is exclusive. Headers have been written. Closes the file. */
export async function sendFile(
  response: ServerResponse,
  file: FileHandle,
  { start, end }: { start: number; end: number },
  clock: Clock,
): Promise<void> {
  try {
    for (let at = start; at < end; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(pieceBytes, end - at)), {
        position: at,
      });
      // It has become shorter: what was promised cannot be kept.
      if (bytesRead === 0 || response.destroyed) return void response.destroy();
      at += bytesRead;
      if (!response.write(buffer.subarray(0, bytesRead)) && !(await drains(response, clock)))
        return void response.destroy();
    }
    response.end();
  } finally {
    await file.close();
  }
}

function drains(response: ServerResponse, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isGood: boolean) => {
      cancel();
      response.off("drain", onDrain);
      response.off("close", onClose);
      resolve(isGood);
    };
    const onDrain = () => settle(true);
    const onClose = () => settle(false);
    const cancel = clock.after(stalledAfterMs, () => settle(false));
    response.on("drain", onDrain);
    response.on("close", onClose);
  });
}
