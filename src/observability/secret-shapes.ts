/** Secrets that are known by their looks alone: the net under the known values. Every pattern runs in linear time. */

/** Names whose value is a secret whatever it looks like, in fields and in `name=value` texts. */
const secretName =
  "(?:api[_-]?key|apikey|[a-z]*[_-]?token|password|passwd|passphrase|[a-z]*[_-]?secret|private[_-]?key|authorization|cookie)";

const secretField = new RegExp(`^(?:x-)?${secretName}$|(?:apiKey|Token|Secret|Password|PrivateKey)$`, "i");

/** Is a field of this name never to be shown? Meant for text values: counts (`maxTokens: 4000`) are harmless. */
export function isSecretName(name: string): boolean {
  return name.length <= 64 && secretField.test(name);
}

/** Group 1, where there is one, is kept; the rest is the secret. */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /\b((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})[^\s"',;]{4,}/gi,
  /\b(bearer\s{1,4})[A-Za-z0-9._~+/=-]{6,}/gi,
  /\bsk-[A-Za-z0-9_-]{8,}/g,
  /\bxox[abceoprs]-[A-Za-z0-9-]{6,}/g,
  /\bxapp-[A-Za-z0-9-]{6,}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,})/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g,
  /(?<!\d)\d{8,10}:[\w-]{30,}/g,
  new RegExp(
    `\\b(${secretName}(?:\\\\?["'])?\\s{0,4}[=:]\\s{0,4}(?:\\\\?["'])?)(?!bearer\\b|basic\\b|\\[redacted\\])[^\\s"'&,;\\\\]{4,}`,
    "gi",
  ),
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,100}:)[^\s/@"']{1,200}(?=@)/gi,
];

export const redactedMark = "[redacted]";

export function redactShapes(text: string): string {
  let result = text;
  for (const shape of shapes) {
    result = result.replace(shape, (_match, kept: unknown) => (typeof kept === "string" ? kept : "") + redactedMark);
  }
  return result;
}
