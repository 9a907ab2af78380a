/** Bytes of a page as text: byte order mark, then the header's charset, then what the page says of itself, then a guess. */

/** How far a page's own word about its charset is looked for. */
const probeBytes = 2048;

export function decodeText(body: Uint8Array, contentType: string): string {
  const label = pickCharset(body, contentType);
  const decoder = label === undefined ? undefined : toDecoder(label);
  if (decoder !== undefined) return decoder.decode(body);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return new TextDecoder("windows-1252").decode(body);
  }
}

/** A label, known or not; undefined where nothing is said. */
function pickCharset(body: Uint8Array, contentType: string): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return "utf-8";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  const inHeader = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1];
  if (inHeader !== undefined && toDecoder(inHeader) !== undefined) return inHeader;
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, probeBytes)).toString("latin1");
  const inPage =
    /<meta\b[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1] ??
    /^\s*<\?xml\b[^>]*?encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1];
  // A page that could be read so far is not UTF-16, whatever it says.
  return inPage !== undefined && /^utf-?16/i.test(inPage) ? "utf-8" : inPage;
}

function toDecoder(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
