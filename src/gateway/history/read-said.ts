/**
 * What people said in a transcript entry, without what the agent wrote around it: the time before it, the names, the list
 * of files (`src/agent/build-input.ts` writes them). One entry may hold what several said since the turn before.
 */
export interface Said {
  /** As the transcript names the person; absent where it names nobody. */
  who?: string;
  text: string;
  /** `path`: as the agent's tools would have it. */
  files: { path: string; filename: string }[];
}

const time = /^\(\d{4}-\d\d-\d\d \d\d:\d\d\)\n/;
const speaker = /^\[([^\]\n]*)\]: /gm;
const file = /^<attachment path="(.*)" name="(.*)"\/>$/;
/** The mark on lines that only look like another's. */
const mark = /(\n\s*)\\(?=\[[^\]\n]*\]: |\(\d{4}-\d\d-\d\d )/g;

export function readSaid(whole: string): Said[] {
  const body = whole.replace(time, "");
  const starts = [...body.matchAll(speaker)];
  if (body === whole || starts[0]?.index !== 0) return [{ text: whole.trim(), files: [] }];
  return starts.map((start, n) => {
    const isLast = n === starts.length - 1;
    const lines = body.slice(start.index + start[0].length, starts[n + 1]?.index).split("\n");
    const end = isLast ? lines.findLastIndex((line) => !file.test(line)) + 1 : lines.length;
    const text = lines.slice(0, end).join("\n").replace(mark, "$1").trim();
    return { who: start[1] ?? "", text, files: lines.slice(end).flatMap(toFile) };
  });
}

function toFile(line: string): Said["files"] {
  const [, path, filename] = file.exec(line) ?? [];
  return path === undefined || filename === undefined ? [] : [{ path, filename }];
}
