/** The key of a device: P-256, its id the hash of its coordinates. Who signs a connection's challenge with it is the device. */
import { createHash, createPublicKey, verify } from "node:crypto";
import { signedText } from "../protocol/index.ts";

export interface PublicKey {
  x: string;
  y: string;
}

/** Undefined: these are no coordinates. */
export function deviceIdOf({ x, y }: PublicKey): string | undefined {
  const [left, right] = [decodeBytes(x, 32), decodeBytes(y, 32)];
  return left && right && createHash("sha256").update(left).update(right).digest("base64url");
}

/** False, too, for a key that is no point of the curve and for a signature of another kind. */
export function isSignedBy(
  { x, y }: PublicKey,
  signature: string,
  nonce: string,
  device: { id: string; token?: string; code?: string },
): boolean {
  const bytes = decodeBytes(signature, 64);
  if (!bytes) return false;
  try {
    const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    return verify("sha256", Buffer.from(signedText(nonce, device)), { key, dsaEncoding: "ieee-p1363" }, bytes);
  } catch {
    return false;
  }
}

/** Only the one spelling of these bytes: two ids of one key would be two devices. */
function decodeBytes(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === length && bytes.toString("base64url") === text ? bytes : undefined;
}
