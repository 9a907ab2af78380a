/** `mom auth` and `mom models` as a person uses them: what they change, what they refuse, and that no key is ever shown. */
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type CliWorld, createCliWorld } from "../../../test/fakes/cli-io.ts";
import type { ProfileStatus, ProviderStatus } from "../../contracts/model.ts";
import type { LoadOAuthFlow } from "../../models/index.ts";
import { buildAuthCommand } from "./auth.ts";
import { buildModelsCommand } from "./models.ts";

const secret = "sk-test-4711-abcdef";
const config = {
  models: {
    default: "lab/small",
    aliases: { quick: "lab/small" },
    providers: {
      lab: {
        api: "openai-completions",
        baseUrl: "http://127.0.0.1:1/v1",
        apiKey: "lab-secret-key",
        models: [{ id: "small" }],
      },
      ollama: { baseUrl: "http://127.0.0.1:1" },
    },
  },
};

let world: CliWorld;
let authPath: string;
const flow: LoadOAuthFlow = async (provider) =>
  provider !== "anthropic"
    ? undefined
    : {
        warning: "This is a subscription.",
        async login(talk) {
          talk.tell(["Open this:", "http://login.test"]);
          const way = await talk.ask({
            message: "How?",
            options: [
              { id: "browser", label: "a" },
              { id: "code", label: "b" },
            ],
          });
          const code = await talk.ask({ message: "Code:" });
          if (code === "bad") throw new Error("it did not work; body=secret-body");
          return { type: "oauth", provider: "anthropic", access: `${way}-${code}`, refresh: "r", expires: 4e12 };
        },
        refresh: async () => ({ type: "refused", detail: "" }),
      };

beforeEach(async () => {
  world = await createCliWorld({ auth: (io) => buildAuthCommand(io, flow), models: buildModelsCommand });
  authPath = join(world.dataDir, "auth.json");
  await mkdir(world.dataDir);
  await writeFile(join(world.dataDir, "config.json"), JSON.stringify(config));
});
afterEach(() => world.close());

const read = async () => JSON.parse(await readFile(authPath, "utf8"));
async function run(args: string[], input?: string) {
  const result = await world.run(args, input);
  assert.ok(!`${result.out}${result.err}`.includes(secret), "a key was shown");
  return result;
}
const ok = async (args: string[], input?: string) => {
  const result = await run(args, input);
  assert.equal(result.code, 0, result.err);
  return result;
};
const list = async (): Promise<ProfileStatus[]> => JSON.parse((await ok(["auth", "list", "--json"])).out);

describe("auth add", () => {
  test("takes a key from a pipe or a file, into a private file", async () => {
    assert.match((await ok(["auth", "add", "anthropic"], `${secret}\n`)).out, /^added anthropic:default\n$/);
    await writeFile(join(world.cwd, "key.txt"), `  ${secret}2\n`);
    await ok(["auth", "add", "anthropic", "--name", "work", "--key-file", "key.txt"]);
    assert.deepEqual((await read()).profiles, {
      "anthropic:default": { type: "api_key", provider: "anthropic", key: secret },
      "anthropic:work": { type: "api_key", provider: "anthropic", key: `${secret}2` },
    });
    assert.equal((await stat(authPath)).mode & 0o777, 0o600);
  });

  const refusals: [name: string, args: string[], input: string, code: number, says: RegExp][] = [
    ["a key as an argument", ["anthropic", secret], "", 2, /AUTH_KEY_AS_ARGUMENT/],
    ["a key as an option", ["anthropic", "--key", secret], "", 2, /BAD_USAGE/],
    ["a provider that is not there", ["antropic"], secret, 2, /Did you mean anthropic\?[\s\S]*AUTH_PROVIDER_UNKNOWN/],
    ["the offline model", ["mom"], secret, 2, /AUTH_PROVIDER_UNKNOWN/],
    ["nothing", ["anthropic"], "\n", 2, /is empty[\s\S]*AUTH_KEY_INVALID/],
    ["two lines", ["anthropic"], `${secret}\n${secret}`, 2, /AUTH_KEY_INVALID/],
    ["a subscription token", ["anthropic"], "sk-ant-oat01-xyz", 2, /mom auth login anthropic/],
    ["a name that stands for something else", ["anthropic", "--name", "env"], secret, 2, /AUTH_NAME_INVALID/],
    ["a name that is none", ["anthropic", "--name", "a b"], secret, 2, /AUTH_NAME_INVALID/],
    ["a key file that is not there", ["anthropic", "--key-file", "gone"], "", 2, /AUTH_KEY_UNREADABLE/],
    ["a folder for a key file", ["anthropic", "--key-file", "."], "", 2, /AUTH_KEY_UNREADABLE/],
  ];
  for (const [name, args, input, code, says] of refusals) {
    test(`refuses ${name}`, async () => {
      const result = await run(["auth", "add", ...args], input);
      assert.equal(result.code, code);
      assert.match(result.err, says);
      await assert.rejects(stat(authPath), "nothing was written");
    });
  }
  test("replaces nothing", async () => {
    await ok(["auth", "add", "anthropic"], secret);
    const again = await run(["auth", "add", "anthropic"], "sk-other");
    assert.equal(again.code, 1);
    assert.match(again.err, /AUTH_PROFILE_EXISTS/);
    assert.equal((await read()).profiles["anthropic:default"].key, secret);
  });
});

test("auth list shows every key with its state and none of their secrets", async () => {
  assert.deepEqual(await list(), [
    { id: "lab:config", type: "api_key", from: "config", state: "ready", coolingModels: [] },
  ]);
  const far = 4e12;
  const profiles = {
    "anthropic:a": { type: "api_key", provider: "anthropic", key: secret },
    "anthropic:old": { type: "token", provider: "anthropic", token: secret, expires: 1 },
    "gone:x": { type: "api_key", provider: "gone", key: secret },
  };
  const usageStats = {
    "anthropic:a": { lastUsed: 5, disabledUntil: far, disabledReason: "billing" },
    "lab:config": { models: { small: { errorCount: 1, cooldownUntil: far } } },
  };
  await writeFile(authPath, JSON.stringify({ profiles, usageStats }), { mode: 0o600 });
  const found = await list();
  assert.deepEqual(
    found.map(({ id, state, reason }) => [id, state, reason]),
    [
      ["anthropic:a", "disabled", "no credit"],
      ["anthropic:old", "expired", "it has run out and cannot be renewed"],
      ["lab:config", "ready", undefined],
      ["gone:x", "disabled", 'there is no provider "gone" in the config'],
    ],
  );
  assert.deepEqual(found[2]?.coolingModels, [{ model: "small", until: far }]);
  const { out } = await ok(["auth", "list"]);
  assert.match(out, /PROFILE .*STATE/);
  assert.match(out, /lab:config .*small rests until 2096-/);
  assert.ok(!out.includes("lab-secret-key"));
});

describe("auth remove", () => {
  test("forgets the key, its figures and its place in line", async () => {
    await ok(["auth", "add", "anthropic", "--name", "a"], secret);
    await ok(["auth", "add", "anthropic", "--name", "b"], secret);
    await ok(["auth", "order", "anthropic", "b", "anthropic:a"]);
    await ok(["auth", "remove", "anthropic:a"]);
    const data = await read();
    assert.deepEqual([Object.keys(data.profiles), data.order], [["anthropic:b"], { anthropic: ["anthropic:b"] }]);
    await ok(["auth", "remove", "anthropic:b"]);
    assert.deepEqual((await read()).order, {});
  });
  test("says what is near, and what it cannot remove", async () => {
    await ok(["auth", "add", "anthropic", "--name", "work"], secret);
    assert.match((await run(["auth", "remove", "anthropic:wrok"])).err, /Did you mean anthropic:work\?/);
    assert.match((await run(["auth", "remove", "lab:config"])).err, /models\.providers in the config/);
  });
});

describe("auth order", () => {
  test("is shown, set by id or name, and cleared; a new key says that it is not in line", async () => {
    await ok(["auth", "add", "anthropic", "--name", "a"], secret);
    assert.match((await ok(["auth", "order", "anthropic"])).out, /all profiles are used/);
    await ok(["auth", "order", "anthropic", "a"]);
    assert.match((await ok(["auth", "order", "anthropic"])).out, /^anthropic: anthropic:a \(set here\)/);
    const added = await ok(["auth", "add", "anthropic", "--name", "b"], secret);
    assert.match(added.err, /not used yet.*mom auth order anthropic anthropic:a anthropic:b/);
    assert.equal((await list()).find(({ id }) => id === "anthropic:b")?.reason, "not in the order for its provider");
    await ok(["auth", "order", "anthropic", "--clear"]);
    assert.match((await ok(["auth", "order", "anthropic"])).out, /all profiles are used/);
  });
  test("refuses what is not there", async () => {
    await ok(["auth", "add", "anthropic", "--name", "work"], secret);
    const result = await run(["auth", "order", "anthropic", "wrok"]);
    assert.deepEqual([result.code, /Did you mean anthropic:work\?/.test(result.err)], [2, true]);
    assert.equal((await run(["auth", "order", "anthropic", "work", "--clear"])).code, 2);
  });
  test("of the config is shown where none is set", async () => {
    const auth = { order: { lab: ["lab:config"] } };
    await writeFile(join(world.dataDir, "config.json"), JSON.stringify({ ...config, auth }));
    assert.match((await ok(["auth", "order", "lab"])).out, /lab:config \(auth\.order of the config\)/);
  });
});

describe("auth login", () => {
  test("says what it is, wants a yes, and keeps the login", async () => {
    const result = await ok(["auth", "login", "anthropic"], "yes\n2\nabc\n");
    assert.match(result.err, /This is a subscription\.[\s\S]*http:\/\/login\.test/);
    assert.match(result.out, /signed in: anthropic:login/);
    assert.equal((await read()).profiles["anthropic:login"].access, "code-abc");
    await ok(["auth", "login", "anthropic"], "yes\n1\nxyz\n");
    assert.equal((await read()).profiles["anthropic:login"].access, "browser-xyz", "signing in again renews it");
  });
  const refusals: [name: string, args: string[], input: string, says: RegExp][] = [
    ["anything but yes", ["anthropic"], "y\n", /AUTH_LOGIN_DECLINED/],
    ["no answer", ["anthropic"], "", /PROMPT_CANCELLED/],
    ["an answer that stops half-way", ["anthropic"], "yes\n1\n", /PROMPT_CANCELLED/],
    ["a provider without a login", ["openai"], "yes\n", /mom auth add openai[\s\S]*AUTH_LOGIN_UNAVAILABLE/],
    [
      "a flow that fails, without its details",
      ["anthropic"],
      "yes\n1\nbad\n",
      /it did not work\n[\s\S]*AUTH_LOGIN_FAILED/,
    ],
  ];
  for (const [name, args, input, says] of refusals) {
    test(`ends without a change: ${name}`, async () => {
      const result = await run(["auth", "login", ...args], input);
      assert.notEqual(result.code, 0);
      assert.match(result.err, says);
      assert.doesNotMatch(result.err, /secret-body/);
      await assert.rejects(stat(authPath));
    });
  }
});

describe("models", () => {
  test("list marks the one that answers", async () => {
    assert.match((await ok(["models", "list"])).out, /^\* +lab\/small /m);
    const all = JSON.parse((await ok(["models", "list", "--json"])).out);
    assert.deepEqual(
      all.filter(({ isDefault }: { isDefault: boolean }) => isDefault).map(({ ref }: { ref: string }) => ref),
      ["lab/small"],
    );
  });
  test("status tells of each provider whether it can be asked, and what is missing", async () => {
    const usageStats = { "lab:config": { disabledUntil: 4e12, disabledReason: "auth" } };
    await writeFile(authPath, JSON.stringify({ usageStats }), { mode: 0o600 });
    const { out } = await ok(["models", "status"]);
    assert.match(out, /^answers: lab\/small$/m);
    assert.match(out, /^alias: quick = lab\/small$/m);
    assert.match(out, /^provider: anthropic, not usable\. No API key for anthropic/m);
    assert.match(out, /^provider: lab, not usable\. Every profile of lab is resting/m);
    assert.match(out, /^ {2}lab:config: disabled until .*\(refused by the provider\)$/m);
    assert.match(out, /^provider: mom, usable$/m);
    const { providers } = JSON.parse((await ok(["models", "status", "--json"])).out);
    const lab: ProviderStatus | undefined = providers.find(({ name }: ProviderStatus) => name === "lab");
    assert.equal(lab?.usable, false);
    assert.ok(!JSON.stringify(providers).includes("lab-secret-key"));
  });
  test("a key that was added makes its provider usable", async () => {
    await ok(["auth", "add", "anthropic"], secret);
    assert.match((await ok(["models", "status"])).out, /^provider: anthropic, usable$/m);
  });
});

test("a broken auth.json is named with the fix, and a readable one is closed and said", async () => {
  await writeFile(authPath, `{ "profiles": { ${secret}`, { mode: 0o600 });
  const broken = await run(["auth", "list"]);
  assert.equal(broken.code, 1);
  assert.match(broken.err, /auth\.json cannot be used[\s\S]*mom auth add[\s\S]*AUTH_FILE_BROKEN/);
  await writeFile(authPath, "{}", { mode: 0o600 });
  await chmod(authPath, 0o644);
  assert.match((await ok(["auth", "list"])).err, /could be read by other users/);
});
