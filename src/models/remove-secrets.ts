/** Takes keys out of what a provider said before anyone reads it: the ones we know, and whatever looks like one. */

const removed = "[key removed]";

/** Keys in the shapes providers hand out, masked ones included (`sk-ab***yz`), and anything behind `Bearer`. */
const keyShapes = [
  /\b(?:sk|pk|rk|xai|gsk|key)[-_][\w*.-]{6,}/gi,
  // Google's, then AWS's: access keys and Bedrock API keys.
  /\bAIza[\w-]{10,}/g,
  /\bA(?:KIA|SIA)[A-Z0-9]{12,}/g,
  /\b(?:ABSK|bedrock-api-key-)[\w+/=-]{10,}/g,
  /\bBearer\s+(?!\[key removed\])[^\s"',}]+/gi,
];

/** Too short to be a key; removing it would only tear holes into words. */
const minSecretLength = 4;

export function removeSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= minSecretLength) clean = clean.replaceAll(secret, removed);
  for (const shape of keyShapes) clean = clean.replaceAll(shape, removed);
  return clean;
}
