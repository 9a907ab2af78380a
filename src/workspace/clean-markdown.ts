/** What of a person's Markdown is meant for the model: comments are for people, and headings alone say nothing. */

/** Without HTML comments, except in code. A line that held only a comment goes with it; one never closed is plain text. */
export function stripComments(text: string): string {
  if (!text.includes("<!--")) return text;
  const lastClose = text.lastIndexOf("-->");
  const kept: string[] = [];
  let offset = 0;
  let fence: string | undefined;
  let inComment = false;
  for (const line of text.split("\n")) {
    const marker = inComment ? undefined : /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined || marker !== undefined) {
      kept.push(line);
      if (fence === undefined) fence = marker;
      else if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
    } else {
      const rest = stripLine(line, inComment, lastClose - offset);
      if (!rest.hadComment || rest.text.trim() !== "") kept.push(rest.text);
      inComment = rest.inComment;
    }
    offset += line.length + 1;
  }
  return kept.join("\n");
}

/** `lastClose`: where in this line or after it the text's last `-->` is; a comment that opens behind it is none. */
function stripLine(line: string, startsInComment: boolean, lastClose: number) {
  let text = "";
  let hadComment = startsInComment;
  let position = 0;
  if (startsInComment) {
    const close = line.indexOf("-->");
    if (close < 0) return { text, hadComment, inComment: true };
    position = close + 3;
  }
  for (;;) {
    const open = line.indexOf("<!--", position);
    if (open < 0 || open > lastClose) break;
    if (isInCodeSpan(line, position, open)) {
      text += line.slice(position, open + 4);
      position = open + 4;
      // The span's end is behind the mark: what follows it is looked at afresh.
      const end = line.indexOf("`", position);
      if (end < 0) break;
      text += line.slice(position, end + 1);
      position = end + 1;
      continue;
    }
    hadComment = true;
    text += line.slice(position, open);
    const close = line.indexOf("-->", open + 4);
    if (close < 0) return { text, hadComment, inComment: true };
    position = close + 3;
  }
  return { text: text + line.slice(position), hadComment, inComment: false };
}

function isInCodeSpan(line: string, from: number, to: number): boolean {
  let ticks = 0;
  for (let at = line.indexOf("`", from); at >= 0 && at < to; at = line.indexOf("`", at + 1)) ticks++;
  return ticks % 2 === 1;
}

/** Nothing but headings, empty list items and blank lines: a form that nobody has filled in. */
export function isUnfilled(text: string): boolean {
  return text.split("\n").every((line) => /^(?:#{1,6}(?:\s.*)?|[-*+](?:\s*\[[ x]?\])?)?$/.test(line.trim()));
}
