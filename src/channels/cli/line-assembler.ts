/**
 * Piped bytes → messages: one per line, a backslash at the end of a line continues it. Holds at most one message; what is
 * longer than allowed is read past and reported.
 */
import { StringDecoder } from "node:string_decoder";

export type AssembledLine = { type: "message"; text: string } | { type: "too-long" };

export interface LineAssembler {
  push(chunk: Uint8Array | string): AssembledLine[];
  /** The input has ended: a last line without a newline counts. */
  end(): AssembledLine[];
}

export function createLineAssembler(maxBytes: number): LineAssembler {
  const decoder = new StringDecoder("utf8");
  let message: string[] = [];
  let line = "";
  let bytes = 0;
  let isTooLong = false;

  const add = (text: string) => {
    bytes += Buffer.byteLength(text);
    if (bytes > maxBytes) {
      isTooLong = true;
      message = [];
      line = "";
    } else line += text;
  };
  const finish = (): AssembledLine[] => {
    const text = [...message, line].join("\n");
    const wasTooLong = isTooLong;
    message = [];
    line = "";
    bytes = 0;
    isTooLong = false;
    if (wasTooLong) return [{ type: "too-long" }];
    return text.trim() === "" ? [] : [{ type: "message", text }];
  };
  const endLine = (): AssembledLine[] => {
    if (line.endsWith("\r")) line = line.slice(0, -1);
    if (isTooLong || !line.endsWith("\\")) return finish();
    message.push(line.slice(0, -1));
    line = "";
    return [];
  };
  const read = (text: string): AssembledLine[] => {
    const lines: AssembledLine[] = [];
    let from = 0;
    for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", from)) {
      add(text.slice(from, newline));
      lines.push(...endLine());
      from = newline + 1;
    }
    add(text.slice(from));
    return lines;
  };

  return {
    push: (chunk) => read(typeof chunk === "string" ? chunk : decoder.write(chunk)),
    end: () => [...read(decoder.end()), ...finish()],
  };
}
