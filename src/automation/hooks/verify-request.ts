/**
 * Is a request from who it says? By its headers before a byte of the body is read, and again with the body where that is signed.
 * Everything is compared in constant time; what is not there, or not well formed, is refused.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { HookMapping } from "./config.ts";

export type Headers = Readonly<Record<string, string | undefined>>;

export interface Verifier {
  /** By the headers alone. */
  isAllowed(headers: Headers, nowMs: number): boolean;
  /** With the body too. */
  isGenuine(headers: Headers, body: Buffer, nowMs: number): boolean;
  /** The body itself is signed: the same one again is a replay, whatever its headers say. */
  readonly isSigned: boolean;
}

/** A signature with a time counts for so long, and may be so far ahead. */
const windowMs = 5 * 60_000;

export function createTokenVerifier(token: string): Verifier {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const wanted = digest(token);
  const isAllowed = (headers: Headers) => {
    const given = /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? headers["x-mom-token"];
    return given !== undefined && timingSafeEqual(digest(given), wanted);
  };
  return { isAllowed, isGenuine: isAllowed, isSigned: false };
}

/** Undefined: a secret is missing, so that nobody can be let in. */
export function createVerifier(
  { signature, secret, header }: Pick<HookMapping, "signature" | "secret" | "header">,
  token: string | undefined,
): Verifier | undefined {
  if (signature === "token") {
    const wanted = secret ?? token;
    return wanted === undefined ? undefined : createTokenVerifier(wanted);
  }
  if (secret === undefined) return undefined;
  return signature === "hmac-sha256"
    ? createBodyVerifier(secret, header ?? "x-hub-signature-256")
    : createTimedVerifier(secret, header ?? "stripe-signature");
}

function createBodyVerifier(secret: string, header: string): Verifier {
  return {
    isSigned: true,
    isAllowed: (headers) => toDigest(headers[header]) !== undefined,
    isGenuine(headers, body) {
      const given = toDigest(headers[header]);
      return given !== undefined && timingSafeEqual(given, createHmac("sha256", secret).update(body).digest());
    },
  };
}

function createTimedVerifier(secret: string, header: string): Verifier {
  const read = (headers: Headers, nowMs: number) => {
    const signed = toTimed(headers[header]);
    return signed && Math.abs(nowMs - signed.time * 1000) <= windowMs ? signed : undefined;
  };
  return {
    isSigned: true,
    isAllowed: (headers, nowMs) => read(headers, nowMs) !== undefined,
    isGenuine(headers, body, nowMs) {
      const signed = read(headers, nowMs);
      if (!signed) return false;
      const wanted = createHmac("sha256", secret).update(`${signed.time}.`).update(body).digest();
      return signed.digests.some((digest) => timingSafeEqual(digest, wanted));
    },
  };
}

const digestBytes = 32;

/** Hex or base64, with or without `sha256=` in front. */
function toDigest(text: string | undefined): Buffer | undefined {
  const bare = text?.trim().replace(/^sha256=/, "") ?? "";
  if (/^[0-9a-f]{64}$/i.test(bare)) return Buffer.from(bare, "hex");
  if (!/^[A-Za-z0-9+/]{43}=$/.test(bare)) return undefined;
  const bytes = Buffer.from(bare, "base64");
  return bytes.length === digestBytes ? bytes : undefined;
}

/** Senders that change their secret sign with both for a while. */
const mostDigests = 5;

/** `t=1700000000,v1=<hex>`; further `v1` and unknown parts may follow. */
function toTimed(text: string | undefined): { time: number; digests: Buffer[] } | undefined {
  if (text === undefined || text.length > 2000) return undefined;
  const parts = text.split(",").map((part) => part.trim());
  const [, time] = /^t=(\d{1,12})$/.exec(parts.find((part) => part.startsWith("t=")) ?? "") ?? [];
  const signatures = parts.filter((part) => /^v1=[0-9a-f]{64}$/i.test(part)).slice(0, mostDigests);
  if (time === undefined || signatures.length === 0) return undefined;
  return { time: Number(time), digests: signatures.map((part) => Buffer.from(part.slice(3), "hex")) };
}
