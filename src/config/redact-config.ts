/** A config as it may be shown: secrets, recognised by their value, replaced by stars. */

/** Shorter ones are replaced only where they are the whole value: `eu` would tear holes into half of all texts. */
const shortestPart = 6;

export function redactConfig(value: unknown, secrets: Iterable<string>): unknown {
  const whole = new Set(secrets);
  // Longest first, so that a secret inside another one does not leave the rest of it standing.
  const parts = [...whole].filter(({ length }) => length >= shortestPart).sort((a, b) => b.length - a.length);
  const redact = (part: unknown): unknown => {
    if (typeof part === "string") {
      return whole.has(part) ? "***" : parts.reduce((text, secret) => text.replaceAll(secret, "***"), part);
    }
    if (Array.isArray(part)) return part.map(redact);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, redact(child)]));
  };
  return redact(value);
}
