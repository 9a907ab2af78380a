/** Code fences, line by line: what the splitter must know to cut inside one and go on with it in the next part. */
export interface Fence {
  /** Indentation and quote marks before the fence. */
  prefix: string;
  /** The run of backticks or tildes that opened it. */
  marker: string;
  /** First word after the marker. */
  language: string;
}

const fenceLine = /^([ \t]*(?:>[ \t]?)*[ \t]*)(`{3,}|~{3,})(.*)$/;

/** The fence that is open after `line`, given the one that was open before it. */
export function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  if (open && !leavesQuote(open, line)) return closesFence(open, line) ? undefined : open;
  const match = fenceLine.exec(line);
  if (!match) return undefined;
  const [, prefix = "", marker = "", info = ""] = match;
  if (marker.startsWith("`") && info.includes("`")) return undefined;
  return { prefix, marker, language: info.trim().split(/\s/, 1)[0] ?? "" };
}

export function closesFence(open: Fence, line: string): boolean {
  const match = fenceLine.exec(line);
  if (!match) return false;
  const [, , marker = "", info = ""] = match;
  return marker[0] === open.marker[0] && marker.length >= open.marker.length && info.trim() === "";
}

export const openingLine = (fence: Fence): string => `${fence.prefix}${fence.marker}${fence.language}\n`;
export const closingLine = (fence: Fence): string => `\n${fence.prefix}${fence.marker}`;

/** A fence in a quote ends with the quote. */
function leavesQuote(open: Fence, line: string): boolean {
  return open.prefix.includes(">") && !line.trimStart().startsWith(">");
}
