/** Tells images that models understand by their first bytes; names and extensions lie. */
export const imageHeaderBytes = 12;

export function pickImageType(header: Uint8Array): string | undefined {
  const latin = Buffer.from(header).toString("latin1");
  if (latin.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (latin.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (latin.startsWith("GIF87a") || latin.startsWith("GIF89a")) return "image/gif";
  if (latin.startsWith("RIFF") && latin.slice(8, 12) === "WEBP") return "image/webp";
  return undefined;
}
