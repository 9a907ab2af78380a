/** What one session may see of the others and say to them. Every answer begins with who asks; names alone open nothing. */
import { ToolError } from "../../base/errors.ts";
import type { Errand } from "../../contracts/errand.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { SessionDoor, SessionLine } from "../../contracts/session-door.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { cleanText, toOneLine } from "../context/clean-text.ts";
import type { SubagentsConfig } from "./config.ts";
import { readSpoken } from "./read-spoken.ts";
import { type RelayKind, relayIdOf } from "./relay.ts";
import type { RunBook } from "./run-book.ts";
import { nameCall, pickPrincipal, type SubagentData } from "./subagent-data.ts";
import type { SubagentDeps } from "./subagent-deps.ts";

const mostListed = 100;
const mostLines = 50;
const maxMessageChars = 20_000;

type DoorDeps = Pick<
  SubagentDeps,
  "inbox" | "sessions" | "transcripts" | "ports" | "agents" | "taintOf" | "describeContext" | "onLetters"
>;

interface Seen {
  session: SessionEntry;
  data: SubagentData | undefined;
}

export function createSessionDoor(deps: DoorDeps, book: RunBook, config: () => SubagentsConfig): SessionDoor {
  const { sessions } = deps;
  /** Used last first. */
  const look = async (scope: ToolScope): Promise<Seen[]> => {
    const runs = new Map((await book.list()).map((data) => [data.run.sessionKey, data]));
    const all = (await sessions.list()).map((session) => ({ session, data: runs.get(session.sessionKey) }));
    if (isOwnersWork(scope)) return all;
    const { sessionKey } = scope.session;
    return all.filter(({ session, data }) => session.sessionKey === sessionKey || data?.run.requester === sessionKey);
  };
  const find = async (scope: ToolScope, name: string): Promise<Seen> => {
    const wanted = name.trim();
    const seen = await look(scope);
    const byKey = seen.find(({ session, data }) => session.sessionKey === wanted || data?.run.runId === wanted);
    if (byKey) return byKey;
    const [one, ...others] = seen.filter((each) => wanted !== "" && labelOf(each) === wanted);
    if (one && others.length === 0) return one;
    if (one) {
      throw new ToolError("SESSION_AMBIGUOUS", `${others.length + 1} sessions are called "${toOneLine(wanted, 60)}"`, {
        hint: "Name it by its key: sessions_list shows them.",
      });
    }
    // The same words for one that is not there and one that is not theirs: names of others are not to be guessed.
    throw new ToolError("SESSION_NOT_VISIBLE", `There is no session "${toOneLine(wanted, 120)}" that you may see`, {
      hint: "sessions_list shows those that you may.",
    });
  };

  return {
    async list(scope, limit) {
      return (await look(scope)).slice(0, Math.min(limit, mostListed)).map(toLine);
    },
    async history(scope, name, limit) {
      const seen = await find(scope, name);
      const { session } = seen;
      const lines = await readSpoken(deps.transcripts, session.sessionKey, Math.min(limit, mostLines));
      const isOwn = session.sessionKey === scope.session.sessionKey;
      const outside = isOwn ? undefined : await deps.taintOf(session, true);
      return { session: toLine(seen), lines, ...(outside !== undefined && { outside }) };
    },
    async send(scope, { to, message, callId }) {
      const { session: target } = await find(scope, to);
      ensureWord(scope, target, message);
      const turnsLeft = await book.takeTurn(scope.turnId, config().relayTurns);
      const from = scope.session.sessionKey;
      const id = nameCall(scope.turnId, callId);
      const errand: Errand = {
        type: "relay",
        id,
        principal: pickPrincipal(scope),
        relay: { from, turnsLeft },
        data: { kind: "word" satisfies RelayKind },
      };
      const outside = await deps.taintOf(scope.session, scope.isAdmin);
      await deps.inbox.accept(
        deps.ports.toErrandLetter(errand, {
          messageId: relayIdOf(id),
          text: formatWord(scope.session, message),
          session: { existing: target },
          ...(outside !== undefined && { outside }),
        }),
      );
      deps.onLetters();
      return { sessionKey: target.sessionKey, turnsLeft };
    },
    async status({ session }) {
      const now = (await sessions.get(session.sessionKey)) ?? session;
      const { model, contextWindow, tokens } = await deps.describeContext(now);
      const contextTokens = tokens.system + tokens.tools + tokens.messages;
      return { session: now, model, contextTokens, contextWindow };
    },
    agents(scope) {
      const all = deps.agents().map(({ id, model }) => ({ id, ...(model !== undefined && { model }) }));
      return isOwnersWork(scope) ? all : all.filter(({ id }) => id === scope.session.agentId);
    },
  };
}

/**
 * A main session, or a job that works for one. A word of the owner's in somebody else's session is none: what is read there
 * stays where others read it.
 */
function isOwnersWork({ session, principal }: ToolScope): boolean {
  if (session.type === "main") return principal === undefined || principal.sessionType === "main";
  return session.type === "cron" && principal?.sessionType === "main";
}

function ensureWord({ session }: ToolScope, target: SessionEntry, message: string): void {
  if (target.sessionKey === session.sessionKey) {
    throw new ToolError("RELAY_TO_SELF", "This is the session that you are in", { hint: "Just say it." });
  }
  if (message.trim() === "" || message.length > maxMessageChars) {
    throw new ToolError(
      "RELAY_TEXT_INVALID",
      `A message has 1 to ${maxMessageChars} characters, not ${message.length}`,
      {
        hint: "Put long material into a file and name it.",
      },
    );
  }
}

const labelOf = ({ session, data }: Seen): string | undefined => session.label ?? data?.run.label;

function toLine(seen: Seen): SessionLine {
  const { sessionKey, type, agentId, updatedAt, totalTokens } = seen.session;
  const label = labelOf(seen);
  return {
    sessionKey,
    type,
    agentId,
    updatedAt,
    totalTokens,
    ...(label !== undefined && { label: toOneLine(label, 60) }),
    ...(seen.data && { state: seen.data.run.state }),
  };
}

function formatWord({ sessionKey, label }: SessionEntry, message: string): string {
  const name = label === undefined ? "" : ` (${toOneLine(label, 60).replace(/[[\]]/g, " ")})`;
  return [
    `[FROM SESSION ${sessionKey}${name}] ${cleanText(message).trim()}`,
    "(Your answer goes back to that session and to nobody else. [SILENT] if it needs none.)",
  ].join("\n\n");
}
