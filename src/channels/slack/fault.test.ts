/** The SDK's errors, as it throws them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from "@slack/web-api";
import { toFault, toSendResult } from "./fault.ts";

const refused = (error: string, more: object = {}) => new WebAPIPlatformError({ ok: false, error, ...more } as never);
const broken = (code: string) =>
  new WebAPIRequestError(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) }));

const cases: [what: string, error: unknown, result: string][] = [
  ["a refusal", refused("channel_not_found"), "rejected"],
  ["a missing right", refused("missing_scope", { needed: "files:write" }), "rejected"],
  ["a revoked token", refused("token_revoked"), "retry"],
  ["a failure inside Slack", refused("internal_error"), "unknown"],
  ["a service that is away", refused("service_unavailable"), "retry"],
  ["a limit", new WebAPIRateLimitedError(7), "retry"],
  ["a server error", new WebAPIHTTPError(502, "Bad Gateway", {}, ""), "unknown"],
  ["a proxy that says no", new WebAPIHTTPError(403, "Forbidden", {}, ""), "rejected"],
  ["a refused connection", broken("ECONNREFUSED"), "retry"],
  ["an unknown host", broken("ENOTFOUND"), "retry"],
  ["a connection that was cut", broken("ECONNRESET"), "unknown"],
  ["anything else", new Error("?"), "unknown"],
];

for (const [what, error, result] of cases) {
  test(`${what}: ${result}`, () => assert.equal(toSendResult(toFault(error)).type, result));
}

test("what Slack asks for is kept", () => {
  assert.deepEqual(toFault(new WebAPIRateLimitedError(7)), { type: "limited", retryAfterMs: 7_000 });
  assert.match(toSendResult(toFault(refused("missing_scope", { needed: "files:write" }))).reason, /files:write/);
});
