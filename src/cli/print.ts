/** How commands print: data as JSON, notes for people on stderr. Foreign text is made harmless on the way. */
import { toPrintable } from "../base/printable.ts";
import type { CliIo } from "./io.ts";

export function printJson({ stdout }: Pick<CliIo, "stdout">, value: unknown): void {
  // Line breaks inside texts are escaped already, so every line here is one of the layout.
  stdout.write(`${JSON.stringify(value, null, 2).split("\n").map(toPrintable).join("\n")}\n`);
}

/** Lines of ours; each may carry foreign text. */
export function printLines({ stdout }: Pick<CliIo, "stdout">, lines: readonly string[]): void {
  stdout.write(lines.map((line) => `${toPrintable(line)}\n`).join(""));
}

export function note({ stderr }: Pick<CliIo, "stderr">, text: string): void {
  stderr.write(`mom: ${text.split("\n").map(toPrintable).join("\n")}\n`);
}

/** Colours are for people at a terminal who have not refused them. */
export function hasColors(stream: NodeJS.WriteStream, env: CliIo["env"]): boolean {
  return stream.isTTY === true && !env["NO_COLOR"];
}
