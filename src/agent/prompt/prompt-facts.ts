/**
 * What a system prompt is made of: plain data, gathered by the agent before a turn. What is unknown is left out, and the
 * sections that need it with it.
 */
import type { ChannelInfo, UserInfo } from "../../contracts/message.ts";
import type { ThinkingLevel, ToolDeclaration } from "../../contracts/model.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { StandingOrder } from "../../contracts/standing-order.ts";
import type { BootstrapFile, Skill } from "../../contracts/workspace.ts";

/** `minimal` is for subagents; `none` is the identity line alone. */
export type PromptMode = "full" | "minimal" | "none";

export interface PromptSection {
  name: string;
  /** Its heading included. Never empty. */
  text: string;
  /** Part of the tail that may change between turns: nothing before the first of these does. */
  isVolatile?: true;
}

/** A name that its owner can change at any time: shown, never trusted. */
export type NamedPerson = Pick<UserInfo, "username" | "displayName">;

export interface PromptFacts {
  mode: PromptMode;
  session: Pick<SessionEntry, "type" | "agentId">;

  /** The allowed ones. */
  tools: readonly ToolDeclaration[];
  /** One line by tool name. A tool that has none is told by the first sentence of its description. */
  toolSummaries?: Readonly<Record<string, string>>;
  /** Custom tools of the host, called through `invoke_tool`; left out where that is not allowed. */
  hostTools?: readonly ToolDeclaration[];
  /** From the channel's plugin, one line each. */
  channelToolHints?: readonly string[];
  /** All that were found; which of them are offered is decided here. */
  skills?: readonly Skill[];
  /** What their index may take of a small window; absent: its own limit. */
  skillsMaxChars?: number;

  standingOrders?: readonly StandingOrder[];
  owners?: readonly NamedPerson[];
  /** Of the platform. */
  users?: readonly NamedPerson[];
  channels?: readonly Pick<ChannelInfo, "name" | "type">[];

  /** IANA name. */
  timeZone?: string;
  /** Today there, as `LocalTimes.date` tells it. */
  localDate?: string;

  /** Absolute, as tools see it. */
  workspaceDir: string;
  /** Where tools start, absolute. Absent: in the workspace. */
  workDir?: string;
  /** As tools see it: relative to the working folder, or absolute. */
  channelFolder: string;
  /** Of mom's own documentation: absolute, as tools see it. */
  docsDir?: string;
  /** Absent: programs run on the host itself. `hasNetwork` absent: unknown. */
  sandbox?: { mode: string; hasNetwork?: boolean };
  /** In the order in which they are to be read. */
  bootstrapFiles?: readonly BootstrapFile[];
  isFirstRun?: boolean;
  /** `SYSTEM.md` takes the place of the base, `APPEND_SYSTEM.md` comes last before the tail. */
  overrides?: { system?: string; append?: string };
  /** How event files are written; Markdown. */
  eventsDoc?: string;
  /** What a heartbeat says. Absent: there is none. */
  heartbeatPrompt?: string;
  /** Short names of models. */
  aliases?: Readonly<Record<string, string>>;

  host?: { name: string; os: string; arch: string; node: string };
  /** Root of the repository that is worked on. */
  repo?: string;
  /** `provider/model`. */
  model?: string;
  thinking?: ThinkingLevel;
  /** `slack`, `cli` … */
  adapterType?: string;
  /** What the channel can do: `reactions`, `threads` … */
  capabilities?: readonly string[];
  /** The channel ties a reply to a message by a tag in its text. */
  hasReplyTags?: boolean;
  reactionLevel?: "none" | "minimal" | "extensive";
  /** The model thinks in its text and must be told to mark it: `think`. */
  reasoningTag?: string;

  /** Of whoever starts the session (a subagent's task), headings included. They stay with any SYSTEM.md. */
  extra?: readonly Pick<PromptSection, "name" | "text">[];
}

export function hasTool(facts: Pick<PromptFacts, "tools">, ...names: string[]): boolean {
  return facts.tools.some((tool) => names.includes(tool.name));
}
