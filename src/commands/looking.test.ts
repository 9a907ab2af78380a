/** Commands that only show something. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandPorts } from "../../test/fakes/command-ports.ts";
import { AgentError } from "../base/errors.ts";
import type { UsageTotal } from "../contracts/store.ts";
import type { Skill } from "../contracts/workspace.ts";
import { createCommands } from "./create-commands.ts";

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: `what ${name} does`,
  path: `/w/skills/${name}/SKILL.md`,
  source: "workspace",
  isModelInvocable: true,
  isUserInvocable: true,
  tags: [],
  isPinned: false,
  missing: [],
  warnings: [],
  ...more,
});

test("/help lists what the asker may call, and explains one", async () => {
  const { ask } = createCommandPorts();
  const list = String(await ask("/help"));
  assert.match(list, /^Just write what you want[\s\S]*- `\/new` start a fresh/);
  assert.doesNotMatch(list, /\/reload|\/hotkeys|\/quit/);
  assert.match(String(await ask("/help", { isAdmin: true })), /- `\/reload` /);
  assert.match(String(await ask("/help", { adapterType: "cli" })), /- `\/hotkeys` [\s\S]*- `\/quit` /);
  assert.match(String(await ask("/help /RESET")), /^`\/new`: start[\s\S]*- also: `\/reset`\n- waits until/);
  assert.match(String(await ask("/help reload")), /for admins only\n- answered at once/);
  assert.match(
    String(await ask("/help thnk")),
    /no command `thnk` \(did you mean `think`\?\)\. Usage: `\/help \[name\]`/,
  );
});

test("/commands has usages, marks, prompts and the skills that can be called", async () => {
  const { ask, house } = createCommandPorts();
  house.templates.push({ name: "review", description: "Looks\nat `code`", argumentHint: "<file>", path: "/p" });
  house.skills.push(skill("pdf"), skill("own", { isUserInvocable: false }), skill("bad", { missing: [{ what: "x" }] }));
  const reply = String(await ask("/commands"));
  assert.match(reply, /- `\/settings \[path \[value\]\]`\* show/);
  assert.match(reply, /- `\/new` .* \(also `\/reset`\)/);
  assert.match(
    reply,
    /\*\*Prompts\*\*\n- `\/review <file>` `Looks at 'code'`\n\n\*\*Skills\*\*\n- `\/skill:pdf` `what pdf does`$/,
  );
  for (let n = 0; n < 60; n++) house.skills.push(skill(`s${n}`));
  assert.match(String(await ask("/commands")), /- … and 11 more$/);
  assert.match(String(await ask("/commands all")), /takes nothing behind it/);
});

test("/status says how mom is and how this conversation is answered", async () => {
  const { ask, house, deps } = createCommandPorts();
  house.session = { ...house.session, chosenModel: "fast", isQuiet: true };
  const reply = String(await ask("/status"));
  assert.match(reply, /^mom 1\.2\.3, up 2 min, 64 MiB\n- model: `mom\/small` \(chosen with `\/model`\)\n/);
  assert.match(
    reply,
    /- thinking: low, queue: steer, tool calls: hidden\n- context: about 10\.0k of 200\.0k tokens \(5 %\)\n/,
  );
  assert.match(reply, /1\.2k tokens, \$0\.25\n- turns: 1 running, 1 waiting; 0 posts/);

  const broken = createCommands({
    ...deps,
    models: { ...deps.models, resolve: async () => ({ type: "unavailable", message: "No key." }) },
    agent: {
      ...deps.agent,
      describeContext: async () => {
        throw new AgentError("MODEL_UNAVAILABLE", "No key.");
      },
    },
  });
  const found = await broken.find("/status", { adapterType: "x", agentId: "main" });
  assert.ok(found.type === "command");
  const turn = { adapter: "chat" } as Parameters<typeof found.command.run>[0]["turn"];
  const call = {
    turn,
    args: "",
    session: house.session,
    adapterType: "x",
    isAdmin: false,
    steps: [],
    record: async () => {},
  };
  assert.match(
    String(await found.command.run(call)),
    /- model: none \(No key\.\)[\s\S]*- context: unknown \(No key\.\)/,
  );
});

test("/context takes the next request apart", async () => {
  const { ask } = createCommandPorts();
  assert.equal(
    String(await ask("/context")).split("\n\n")[0],
    [
      "The next request to `mom/big`: about 10.0k of 200.0k tokens (5 %)",
      "- system prompt: 8.0k tokens",
      "  - `Identity`: 1.5k characters",
      "- tools: 1.5k tokens, `bash`",
      "- conversation: 500 tokens in 1 message",
    ].join("\n"),
  );
});

test("/usage shows everybody their own, and the house's only to an admin", async () => {
  const { ask, house } = createCommandPorts();
  const total = (key: string, cost: number): UsageTotal => ({
    key,
    calls: 1,
    input: 1000,
    output: 10,
    cacheRead: 5,
    cacheWrite: 0,
    cost,
  });
  // Local days around the fake clock's moment, whatever the zone.
  const today = new Date(Date.UTC(2026, 0, 1));
  const key = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, "0")}-${String(today.getDate()).padStart(2, "0")}`;
  house.totals = { day: [total("2025-11-30", 1), total(key, 2)], model: [total("mom/small", 1), total("mom/big", 2)] };
  const own = String(await ask("/usage"));
  assert.equal(
    own,
    [
      "- this conversation: $0.25, 1.2k tokens (1.0k in, 234 out)",
      "- this session: $0.50, 900 tokens today, $2.00, 900 tokens this month",
      "- you: $0.50, 70 tokens today, $2.00, 70 tokens this month",
    ].join("\n"),
  );
  const all = String(await ask("/usage", { isAdmin: true }));
  assert.match(all, /- everything: \$2\.00, 1\.0k tokens today, \$3\.00, 2\.0k tokens this month/);
  assert.match(
    all,
    /- `mom\/big`: \$2\.00, 1 call, 1\.0k in, 10 out, cache 5 read, 0 written\n- `mom\/small`: \$1\.00/,
  );
});

test("/session says how much there is and where, without reading it", async () => {
  const { ask, deps, house, say } = createCommandPorts();
  deps.transcripts.whole = async () => assert.fail("reads up to 256 MB");
  assert.match(String(await ask("/session")), /- transcript: none yet[\s\S]*- earlier conversations: none$/);
  say("hello");
  await ask("/new");
  say("again");
  const reply = String(await ask("/session"));
  assert.match(reply, /- transcript: 200 B, in `chat\/C1` of the workspace\n/);
  assert.match(reply, /- earlier conversations: 1 \(`\/resume` lists them\)$/);
  house.session = { ...house.session, label: "x`y" };
  assert.match(String(await ask("/session")), /- name: `x'y`\n/);
});

test("/whoami shows what rights hang on", async () => {
  const { ask } = createCommandPorts();
  const reply = String(await ask("/whoami"));
  assert.match(
    reply,
    /- you: `ann`\n- id: `U1`\n- admin here: no\n- adapter: `chat` \(`test`\)\n- chat: `C1`\n- session: `agent:main/,
  );
  assert.match(String(await ask("/whoami", { isAdmin: true })), /admin here: yes/);
  assert.match(String(await ask("/whoami bob")), /takes nothing/);
});

test("/skill lists skills with their state and describes one", async () => {
  const { ask, house } = createCommandPorts();
  assert.equal(await ask("/skill"), "There are no skills here.");
  const missing = [{ what: "program ffmpeg", install: "brew install `ffmpeg`" }];
  house.skills.push(
    skill("pdf", { homepage: "https://x.test" }),
    skill("video", { missing, warnings: ["pipes a download"], isModelInvocable: false }),
    skill("own", { isUserInvocable: false }),
  );
  house.diagnostics.push({ path: "/x", level: "error", message: "broken" });
  const list = String(await ask("/skill"));
  assert.match(
    list,
    /^- `pdf` `what pdf does`\n- `video` .* \(lacks `program ffmpeg`; only when called; \*\*1 warning\*\*\)\n- `own` .* \(for my own use only\)\n- 1 problem/,
  );
  assert.match(
    String(await ask("/skill PDF")),
    /- from: workspace\n- home page: `https:\/\/x\.test`\n- use: `\/skill:pdf text`$/,
  );
  assert.match(String(await ask("/skill video")), /to get it: `brew install 'ffmpeg'`\n- warning: `pipes a download`$/);
  assert.match(String(await ask("/skill pfd")), /no skill `pfd` \(did you mean `pdf`\?\)/);
});

test("/changelog shows the newest version, cut at a line", async () => {
  const { ask, house } = createCommandPorts();
  assert.match(String(await ask("/changelog")), /no changelog/);
  house.changelog = "# Changelog\n\nIntro.\n\n## [2.0.0]\n\n### Added\n\n- New.\n\n## [1.0.0]\n\n- Old.\n";
  assert.equal(await ask("/changelog"), "## [2.0.0]\n\n### Added\n\n- New.");
  house.changelog = `## [3.0.0]\n${"- a line of text\n".repeat(500)}`;
  const long = String(await ask("/changelog"));
  assert.ok(long.length < 3600 && long.endsWith("- a line of text\n\n… CHANGELOG.md has the rest."));
});

test("/hotkeys is for the terminal", async () => {
  const { ask } = createCommandPorts();
  assert.match(String(await ask("/hotkeys")), /I do not know/);
  assert.match(String(await ask("/hotkeys", { adapterType: "cli" })), /- \*\*Ctrl-C\*\*: stop what runs/);
});
