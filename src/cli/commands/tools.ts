/** `mom tools`: which tools a session may use, and which layer and rule removed the others. Reads only, also beside a running mom. */
import { Command } from "commander";
import { explainTools, type ToolQuestion, type ToolsAnswer } from "../../app/index.ts";
import { UsageError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { SessionType } from "../../contracts/session.ts";
import type { Store } from "../../contracts/store.ts";
import { isToolName } from "../../tools/index.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption } from "../data-dir.ts";
import { findSession } from "../find-session.ts";
import { type Column, formatTable } from "../format-table.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { note, printJson, printLines } from "../print.ts";
import { withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  session?: string;
  channel?: string;
  sender?: string;
  model?: string;
  why?: string;
  json?: true;
}

type Tool = ToolsAnswer["tools"][number];

const sessionTypes: readonly SessionType[] = ["main", "dm", "group", "topic", "subagent", "cron"];

export function buildToolsCommand(io: CliIo): Command {
  const tools = new Command("tools").description("Shows which tools the model may use.");
  tools
    .command("list")
    .description("list every tool of a session: allowed, or the layer and rule that removed it")
    .option("--session <key|type>", `a conversation's key, or one of ${sessionTypes.join(", ")} (default: main)`)
    .option("--channel <chat>", "as if it were in this chat: adapter or adapter/channelId")
    .option(
      "--sender <id>",
      "as if this person asked: the platform's own id (default: the owner in main, a stranger else)",
    )
    .option("--model <name>", "as if this model asked: provider/model or an alias")
    .option("--why <tool>", "explain one tool, layer by layer")
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) => list(io, options));
  return tools;
}

async function list(io: CliIo, options: Options): Promise<void> {
  await withGuestStore(io, options.data, async ({ store, clock, dataDir }) => {
    const { config } = await loadValidConfig(io, dataDir, { create: false });
    const asked = await buildQuestion(store, options, Object.keys(config.adapters));
    const question = { ...asked, why: options.why };
    const log = createSilentLog(clock);
    const answer = await explainTools({ dataDir, env: io.env, clock, log, store, config }, question);
    const tool = options.why === undefined ? undefined : findTool(answer.tools, options.why);
    if (options.json) return printJson(io, buildJson(question, answer, tool));
    for (const warning of answer.warnings) note(io, `warning: ${warning}`);
    if (answer.modelProblem !== undefined) {
      note(io, `${answer.modelProblem} Rules for providers and models are left out.`);
    }
    const remark = tool ? remarkOnGuess(tool, answer) : remarkOnUnlisted(answer);
    if (remark !== undefined) note(io, remark);
    printLines(io, tool ? formatWhy(tool, question, answer) : formatList(question, answer));
  });
}

function remarkOnGuess({ name }: Tool, { guessed, tools }: ToolsAnswer): string | undefined {
  if (name !== guessed) return undefined;
  const names = tools.map((tool) => tool.name).filter((each) => each !== name);
  const nearest = pickNearest(name, names);
  const guess = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `No tool "${name}" is known; this holds for a custom tool of that name.${guess}`;
}

function remarkOnUnlisted({ customTools }: ToolsAnswer): string | undefined {
  if (customTools === 0) return undefined;
  const what = customTools === 1 ? "1 custom tool is" : `${customTools} custom tools are`;
  return `${what} not listed: mom has not loaded what is there. Rules for group:host mean such tools too.`;
}

/** The session that is meant, with what the options put in its place. */
async function buildQuestion(store: Store | undefined, options: Options, adapters: string[]): Promise<ToolQuestion> {
  const { session = "main", channel, sender, model } = options;
  const asked = {
    ...(channel !== undefined && { channel: parseChannel(channel, adapters) }),
    ...(sender !== undefined && { senderId: sender }),
    ...(model !== undefined && { model }),
  };
  const type = sessionTypes.find((each) => each === session);
  if (type !== undefined) return { type, agentId: "main", ...asked };
  const found = await findSession(store, session);
  return { type: found.type, agentId: found.agentId, channel: found.lastChannel, model: found.chosenModel, ...asked };
}

function parseChannel(text: string, adapters: string[]): ChannelRef {
  const [, adapter = text, channelId = ""] = /^([^/]+)\/(.*)$/s.exec(text) ?? [];
  if (adapters.includes(adapter)) return { adapter, channelId };
  const nearest = pickNearest(adapter, adapters);
  throw new UsageError("UNKNOWN_ADAPTER", `The config has no adapter "${adapter}".`, {
    hint: nearest === undefined ? `There is ${adapters.join(", ") || "none"}.` : `Did you mean ${nearest}?`,
  });
}

function findTool(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => isToolName(tool.name, name));
  if (found) return found;
  const names = tools.map((tool) => tool.name);
  const nearest = pickNearest(name, names);
  throw new UsageError("TOOL_UNKNOWN", `There is no tool "${name}".`, {
    hint: nearest === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${nearest}?`,
  });
}

function buildJson({ type, agentId, channel }: ToolQuestion, answer: ToolsAnswer, tool: Tool | undefined): object {
  const { model = null, tools, customTools, guessed, warnings } = answer;
  const about = { session: { type, agentId }, ...(channel && { channel }), model };
  if (tool) return { ...about, tool, isGuess: tool.name === guessed, warnings };
  return { ...about, tools: tools.map(({ layers: _layers, ...each }) => each), customTools, warnings };
}

const columns: Column<Tool>[] = [
  { title: "TOOL", toText: ({ name }) => name },
  { title: "GROUP", toText: ({ group }) => group },
  { title: "ALLOWED", toText: ({ allowed }) => (allowed ? "yes" : "no") },
  { title: "REMOVED BY", toText: ({ removedBy }) => (removedBy ? `${removedBy.layer}: ${removedBy.rule}` : "") },
];

function formatList(question: ToolQuestion, answer: ToolsAnswer): string[] {
  const allowed = answer.tools.filter((tool) => tool.allowed).length;
  return [
    ...formatTable(columns, answer.tools),
    "",
    `${allowed} of ${answer.tools.length} tools are allowed in ${describe(question, answer)}.`,
  ];
}

function formatWhy(tool: Tool, question: ToolQuestion, answer: ToolsAnswer): string[] {
  const verdict = tool.allowed ? "is allowed" : `is removed (${tool.removedBy?.layer})`;
  const about = answer.known.find(({ name }) => name === tool.name);
  const width = Math.max(...tool.layers.map(({ layer }) => layer.length));
  return [
    `${tool.name} (group:${tool.group}) ${verdict} in ${describe(question, answer)}.`,
    ...(about ? [`${about.description.replaceAll(/\s+/g, " ")} (${about.path})`] : []),
    "",
    ...tool.layers.map(
      (each, at) => `${String(at + 1).padStart(2)} ${each.layer.padEnd(width)}  ${describeLayer(each)}`,
    ),
  ];
}

function describeLayer({ verdict, rule }: Tool["layers"][number]): string {
  if (rule === undefined) return verdict;
  return verdict === "removed" ? `removed: ${rule}` : `not asked (would remove it too: ${rule})`;
}

function describe({ type, agentId, channel }: ToolQuestion, { model }: ToolsAnswer): string {
  const chat = channel ? ` on ${[channel.adapter, channel.channelId].filter((part) => part !== "").join("/")}` : "";
  return `a ${type} session of ${agentId}${chat}, with ${model ?? "no model"}`;
}
