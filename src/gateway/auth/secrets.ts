/** Secrets of the gateway: how they are made, kept and compared. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits, safe in addresses and headers. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** What is stored instead of a secret that has that much chance in it. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** Takes the same time wherever they differ, and whatever their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

const digest = (text: string) => createHash("sha256").update(text).digest();
