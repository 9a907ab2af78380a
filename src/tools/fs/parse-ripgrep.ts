/** ripgrep's output, as it streams in: `path NUL line-number : text` for a match, `-` in place of `:` for context. */
export interface GrepLine {
  /** As ripgrep was given it: absolute. */
  path: string;
  line: number;
  isMatch: boolean;
  text: string;
}

const record = /^(?<path>[^\0]+)\0(?<line>\d+)(?<mark>[:-])(?<text>.*)$/s;
/** ripgrep cuts long lines itself; more than this without a line end is none of its records. */
const maxPending = 1024 * 1024;

/** `take` is called for every record. Lines of another form (warnings about binary files) are passed over. */
export function createGrepParser(take: (line: GrepLine) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = (lines.pop() ?? "").slice(-maxPending);
    for (const line of lines) {
      const groups = record.exec(line)?.groups;
      if (groups === undefined) continue;
      const { path = "", line: number, mark, text = "" } = groups;
      take({ path, line: Number(number), isMatch: mark === ":", text: text.replace(/\r$/, "") });
    }
  };
}
