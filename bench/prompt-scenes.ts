/** What a system prompt is built of in benches/prompt.ts: as most people have it, and as nobody should. */
import type { PromptFacts } from "../src/agent/prompt/prompt-facts.ts";
import type { ToolDeclaration } from "../src/contracts/model.ts";
import { bareFacts, file, order, skill } from "../test/fakes/prompt-facts.ts";
import { buildProse } from "./prose.ts";

/** `tools`: those of a real request. */
export const buildTypicalFacts = (tools: readonly ToolDeclaration[]): PromptFacts =>
  buildFacts({ tools, skills: 8, orders: 2, files: 5, fileChars: 2000, users: 12, channels: 5 });

/** Files at the limit that the prompt has for each, a large company, and the tools of several plugins. */
export const buildHeavyFacts = (tools: readonly ToolDeclaration[]): PromptFacts =>
  buildFacts({
    tools: Array.from({ length: 60 }, (_each, n) => pickTool(tools, n)),
    skills: 100,
    orders: 30,
    files: 8,
    fileChars: 20_000,
    users: 2000,
    channels: 500,
  });

interface Sizes {
  tools: readonly ToolDeclaration[];
  skills: number;
  orders: number;
  files: number;
  fileChars: number;
  users: number;
  channels: number;
}

function buildFacts(sizes: Sizes): PromptFacts {
  const many = <Item>(count: number, build: (n: number) => Item) =>
    Array.from({ length: count }, (_each, n) => build(n));
  return {
    ...bareFacts,
    tools: sizes.tools,
    skills: many(sizes.skills, (n) => skill(`skill-${n}`, { description: buildProse(n, 160) })),
    standingOrders: many(sizes.orders, (n) => order(`r${n}`, { text: buildProse(n, 120) })),
    owners: [{ username: "ann", displayName: "Ann" }],
    users: many(sizes.users, (n) => ({ username: `user-${n}`, displayName: buildProse(n, 16) })),
    channels: many(sizes.channels, (n) => ({ name: `channel-${n}`, type: "channel" as const })),
    timeZone: "Europe/Vienna",
    localDate: "Monday, 2026-11-16, UTC+01:00",
    docsDir: "/docs",
    bootstrapFiles: many(sizes.files, (n) => file(`FILE-${n}.md`, buildProse(n, sizes.fileChars))),
    aliases: { fast: "lab/bench" },
    host: { name: "bench", os: "linux", arch: "x64", node: "v24" },
    model: "lab/bench",
    adapterType: "bench",
  };
}

function pickTool(tools: readonly ToolDeclaration[], n: number): ToolDeclaration {
  const tool = tools[n % tools.length];
  if (!tool) throw new Error("there are no tools");
  return { ...tool, name: `${tool.name}_${n}` };
}
