/** No secret leaves: known values in every form, and what looks like one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRedactor } from "./redactor.ts";
import { isSecretName } from "./secret-shapes.ts";

const secret = 'p@ss "wörd"\\line\nend/+';

function redactorFor(...secrets: string[]) {
  const redactor = createRedactor();
  redactor.addSecrets(secrets);
  return redactor;
}

describe("known values", () => {
  const forms: Record<string, string> = {
    "as it is": secret,
    "trimmed of the newline of a file": secret,
    "in JSON": JSON.stringify({ key: secret }),
    "in JSON in JSON": JSON.stringify({ body: JSON.stringify({ key: secret }) }),
    "in a URL": `https://x/?k=${encodeURIComponent(secret)}`,
    "in a URL with lower-case escapes": `https://x/?k=${encodeURIComponent(secret).replace(/%../g, (e) => e.toLowerCase())}`,
    "in a form": new URLSearchParams({ k: secret.replaceAll("(", "") }).toString(),
  };
  for (const [name, text] of Object.entries(forms)) {
    test(name, () => {
      const clean = redactorFor(`${secret}\n`, secret).redact(text);
      assert.match(clean, /\[redacted\]/);
      for (const part of ["p@ss", "p%40ss", "rd", "line", "end"]) assert.ok(!clean.includes(part), clean);
    });
  }

  test("in base64 at every byte position, also the URL kind", () => {
    const plain = "hunter2-hunter2??>>";
    const redactor = redactorFor(plain);
    for (const before of ["", "u", "us", "user:"]) {
      for (const after of ["", "x", "xy"]) {
        for (const encoding of ["base64", "base64url"] as const) {
          const encoded = Buffer.from(before + plain + after).toString(encoding);
          const clean = redactor.redact(`h ${encoded} t`);
          assert.match(clean, /\[redacted\]/, `${before}|${after}|${encoding}`);
          const left = clean.slice(2, -2).replace("[redacted]", "");
          assert.ok(left.length <= 8 + before.length, `too much is left: ${left}`);
        }
      }
    }
  });

  test("the longer of two that overlap goes as a whole", () => {
    assert.equal(redactorFor("abcdef", "abcdef-ghijkl").redact("x abcdef-ghijkl y"), "x [redacted] y");
  });

  test("short values are left alone", () => {
    assert.equal(redactorFor("data", "").redact("data in data"), "data in data");
  });

  test("characters with a meaning in patterns are plain text", () => {
    assert.equal(redactorFor("a.*b(c|d)$^[").redact("a.*b(c|d)$^[ aXXb"), "[redacted] aXXb");
  });

  test("a cut never shows part of one, wherever it falls", () => {
    const redactor = redactorFor("SECRETSECRETSECRET", "ANOTHERLONGSECRETVALUE-ANOTHERLONGSECRETVALUE");
    const text = `${"SECRETSECRETSECRET ".repeat(5)}ANOTHERLONGSECRETVALUE-ANOTHERLONGSECRETVALUE${"x".repeat(300)}`;
    for (let limit = 0; limit < 250; limit++) {
      const clean = redactor.redactStart(text, limit);
      assert.ok(clean.length <= limit);
      assert.ok(!/SECRET|ANOTHER|ANO/.test(clean), `${limit}: ${clean}`);
    }
  });
});

describe("shapes", () => {
  const hidden: [text: string, secret: string][] = [
    ["Authorization: Bearer abc.DEF-123_456", "abc.DEF"],
    ["Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
    ['{"authorization":"Bearer abcdef0123"}', "abcdef0123"],
    ["key sk-ant-api03-AbCdEf0123456789 is wrong", "AbCdEf"],
    ["xoxb-12345-67890-abcdef", "67890"],
    ["xapp-1-A1-2-abcdef", "abcdef"],
    ["GET /v1?api_key=abcd1234&x=1", "abcd1234"],
    ['{"apiKey": "abcd1234"}', "abcd1234"],
    ['{\\"api_key\\":\\"abcd1234\\"}', "abcd1234"],
    ["password: correct-horse", "correct-horse"],
    ["client_secret=shhhhhhh", "shhhhhhh"],
    ["https://user:pa55word@example.com/x", "pa55word"],
    ["ghp_0123456789abcdefghij0123", "abcdefghij"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl", "eyJzdWIi"],
    ["/bot123456789:AAabcdefghijklmnopqrstuvwxyz012345678/send", "AAabcdef"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY----- after", "MIIabc"],
  ];
  for (const [text, part] of hidden) {
    test(text.slice(0, 40).replaceAll("\n", " "), () => {
      const clean = createRedactor().redact(text);
      assert.ok(!clean.includes(part), clean);
      assert.match(clean, /\[redacted\]/);
    });
  }

  test("what surrounds them stays", () => {
    const redactor = createRedactor();
    assert.equal(redactor.redact("GET /v1?api_key=abcd1234&x=1"), "GET /v1?api_key=[redacted]&x=1");
    assert.equal(redactor.redact("https://user:pa55word@example.com/x"), "https://user:[redacted]@example.com/x");
  });

  test("ordinary texts stay as they are", () => {
    for (const text of [
      "a risk-free task-force",
      "1200 tokens used, maxTokens=4000",
      "see https://example.com:8080/a@b",
      "10:32:05",
    ]) {
      assert.equal(createRedactor().redact(text), text);
    }
  });

  test("names of fields", () => {
    for (const name of ["apiKey", "botToken", "token", "password", "client_secret", "Authorization", "privateKey"]) {
      assert.ok(isSecretName(name), name);
    }
    for (const name of ["inputTokens", "keyboard", "sessionKey", "author", "secretary"])
      assert.ok(!isSecretName(name), name);
  });

  test("hostile text takes no time", () => {
    const started = performance.now();
    for (const text of [
      "a".repeat(30_000),
      "token".repeat(6_000),
      "eyJ".repeat(9_000),
      "-----BEGIN ".repeat(3_000),
      "x://".repeat(8_000),
      `bearer${" ".repeat(30_000)}`,
    ]) {
      createRedactor().redact(text);
    }
    assert.ok(performance.now() - started < 500);
  });
});
