/** The ways in which one secret may stand in a text: as it is, escaped in JSON, in a URL, or inside something in base64. */

/** Shorter values would blot out ordinary words. */
export const shortestSecret = 6;

export function buildSecretForms(secret: string): string[] {
  const json = escapeJson(secret);
  const url = encodeUrl(secret);
  const form = url.replaceAll("%20", "+");
  const plain = [secret, json, escapeJson(json), url, lowerHex(url), form, lowerHex(form)];
  return [...new Set([...plain, ...base64Forms(secret)])].filter((text) => text.length >= shortestSecret);
}

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const encodeUrl = (text: string): string => encodeURIComponent(text.toWellFormed());
const lowerHex = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());

/**
 * What base64 makes of the secret at each of the three byte positions where it can start (`user:secret` moves it), without
 * the characters that also depend on its neighbours.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const dependsOnNext = (shift + bytes.length) % 3 !== 0;
    const core = encoded.slice(shift === 0 ? 0 : shift + 1, dependsOnNext ? -1 : undefined);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
