/** Codes that let one device in, once: printed in a terminal, typed or opened as a link. In memory only, and for minutes. */
import { randomInt } from "node:crypto";
import type { Clock } from "../../contracts/clock.ts";
import type { Role, Scope } from "../protocol/index.ts";
import { hashSecret } from "./secrets.ts";

export interface Grant {
  role: Role;
  scopes: readonly Scope[];
  /** For people: who let it in. */
  byName: string;
  /** Identity id of who made the code. */
  byId: string;
}

export interface OneTimeCodes {
  create(grant: Grant): { code: string; expiresAt: number };
  /** What it grants; it is worth nothing from then on. Undefined: never made, used, or too old. */
  take(code: string): Grant | undefined;
  /** Takes back what this identity made. */
  dropOf(identityId: string): void;
}

const goodForMs = 10 * 60_000;
const mostCodes = 50;
/** Letters and digits that are not mistaken for each other; 12 of them are 59 bits. */
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
const codeLength = 12;

export function createOneTimeCodes({ clock }: { clock: Clock }): OneTimeCodes {
  /** By hash, so that looking one up takes no longer for one that is nearly right. Oldest first. */
  const codes = new Map<string, Grant & { expiresAt: number; until: number }>();
  const prune = () => {
    for (const [hash, { until }] of codes) if (until <= clock.monotonic()) codes.delete(hash);
  };
  return {
    create(grant) {
      prune();
      const oldest = codes.keys().next().value;
      if (codes.size >= mostCodes && oldest !== undefined) codes.delete(oldest);
      const code = newCode();
      const expiresAt = clock.now() + goodForMs;
      codes.set(hashSecret(toPlain(code)), { ...grant, expiresAt, until: clock.monotonic() + goodForMs });
      return { code, expiresAt };
    },
    take(code) {
      prune();
      const hash = hashSecret(toPlain(code));
      const grant = codes.get(hash);
      codes.delete(hash);
      return grant;
    },
    dropOf(identityId) {
      for (const [hash, { byId }] of codes) if (byId === identityId) codes.delete(hash);
    },
  };
}

/** `abcd-efgh-jkmn`. */
function newCode(): string {
  const letters = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return letters.replace(/(.{4})(?=.)/g, "$1-");
}

/** As people type it. */
const toPlain = (code: string) => code.toLowerCase().replace(/[\s-]/g, "");
