/** The lines of a unified diff by kind. What it says of the file's name is left out: there is only one. */
interface DiffLine {
  type: "added" | "removed" | "place" | "same";
  text: string;
}

export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@"));
  if (start < 0) return [];
  return lines.slice(start).map((text) => ({ type: typeOf(text), text }));
}

function typeOf(line: string): DiffLine["type"] {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "place" : "same";
}
