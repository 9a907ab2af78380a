/**
 * A channel for one message: hands it to the app and gathers what comes back for its turn. How `mom agent` speaks to mom
 * without a chat platform.
 */
import { deliveryIdOf } from "../base/ids.ts";
import type { AccessRules, ChannelCapabilities, PlatformAdapter, SendResult } from "../contracts/channel.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { ChannelInfo, ChannelMessage, UserInfo } from "../contracts/message.ts";
import type { Usage } from "../contracts/model.ts";

/** What one turn has said and used so far. */
export interface TurnRecord {
  texts: string[];
  files: { filename: string; path: string; caption?: string }[];
  model?: string;
  usage?: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens"> & { cost: number };
}

export interface OneShotAdapter extends PlatformAdapter {
  readonly rules: AccessRules;
  readonly channelId: string;
  readonly user: UserInfo;
  /** On disk when it resolves. */
  submit(message: ChannelMessage): Promise<void>;
  /** Ends what runs in this conversation. */
  askStop(): Promise<void>;
  recordOf(turnId: TurnId): TurnRecord;
  /** What came for other turns: answers to earlier runs that were cut off. */
  others(turnId: TurnId): TurnRecord[];
}

/** Not a configured adapter's name, so that posts which wait for a real chat are left alone. */
export const oneShotName = "cli-agent";

const capabilities: ChannelCapabilities = {
  edit: false,
  delete: false,
  threads: false,
  reactions: false,
  polls: false,
  pins: false,
  typing: false,
  buttons: false,
  maxMessageLength: Number.POSITIVE_INFINITY,
  lengthUnit: "utf16",
  dialect: "markdown",
  maxUploadBytes: Number.MAX_SAFE_INTEGER,
  maxDownloadBytes: Number.MAX_SAFE_INTEGER,
  // What this process has gathered dies with it: a second call cannot double anything.
  isPassing: true,
  settles: "idempotent",
};

/** The command itself takes no answer: it is busy with the turn. */
const formatWay = (id: string) =>
  `It waits for an answer from another terminal: mom approvals approve ${id}, or mom approvals deny ${id}.`;

interface OneShotOptions {
  username: string;
  session?: string;
  /** Something is said that belongs to no turn's answer: a question that the turn waits for. */
  onLetter(text: string): void;
}

/** Without `session` the owner's own session; with it a conversation of that name. */
export function createOneShotAdapter({ username, session, onLetter }: OneShotOptions): OneShotAdapter {
  const user: UserInfo = { id: "local", username };
  const channel: ChannelInfo = { id: session ?? "main", name: session ?? "main", type: "dm" };
  const records = new Map<TurnId, TurnRecord>();
  let onMessage: Parameters<PlatformAdapter["onMessage"]>[0] = async () => undefined;
  let onStop: Parameters<PlatformAdapter["onStop"]>[0] = async () => undefined;
  let isUp = false;

  const recordOf = (turnId: TurnId): TurnRecord => {
    const record = records.get(turnId) ?? { texts: [], files: [] };
    records.set(turnId, record);
    return record;
  };
  const rejected = async (): Promise<SendResult> => ({ type: "rejected", reason: "This command posts once." });
  const take = (channelId: string, turnId: TurnId | undefined, add: (record: TurnRecord) => void): SendResult => {
    if (channelId !== channel.id || turnId === undefined) {
      // It waits for the command that talks to that conversation.
      return { type: "retry", reason: `Nobody listens to "${channelId}" on ${oneShotName} now.` };
    }
    add(recordOf(turnId));
    return { type: "sent", messageId: deliveryIdOf(turnId, recordOf(turnId).texts.length) };
  };

  return {
    name: oneShotName,
    type: "cli",
    capabilities,
    // Whoever runs the command owns the data directory. A named conversation is one with a person, not the owner's own.
    rules: session === undefined ? { admins: [user.id], dm: "none" } : { admins: [], dm: [user.id] },
    channelId: channel.id,
    user,
    async start() {
      isUp = true;
    },
    async stop() {
      isUp = false;
    },
    getChannels: () => [channel],
    getUsers: () => [user],
    getChannelInfo: (id) => (id === channel.id ? channel : undefined),
    getUserInfo: (id) => (id === user.id ? user : undefined),
    onMessage(handler) {
      onMessage = handler;
    },
    onStop(handler) {
      onStop = handler;
    },
    submit: (message) => onMessage(message),
    askStop: () => onStop(channel.id, user.id),
    recordOf,
    others: (turnId) => [...records].flatMap(([id, record]) => (id === turnId ? [] : [record])),
    render: (markdown) => [markdown],
    async sendMessage(channelId, { turnId, text, deliveryId }) {
      if (channelId !== channel.id || turnId !== undefined) {
        return take(channelId, turnId, ({ texts }) => void texts.push(text));
      }
      onLetter(text);
      return { type: "sent", messageId: deliveryId };
    },
    uploadFile: async (channelId, { turnId, path, filename, caption }) =>
      take(
        channelId,
        turnId,
        ({ files }) => void files.push({ filename, path, ...(caption !== undefined && { caption }) }),
      ),
    updateMessage: rejected,
    deleteMessage: rejected,
    act: rejected,
    settle: async () => ({ type: "not-sent" }),
    async showEvent(_channelId, turnId, event) {
      const record = recordOf(turnId);
      if (event.type === "agent_start") record.model = event.model;
      if (event.type === "approval_request") onLetter(formatWay(event.approval.id));
      if (event.type === "message_end") record.usage = addUsage(record.usage, event.usage);
    },
    health: () => ({ state: isUp ? "connected" : "stopped", reconnects: 0 }),
  };
}

function addUsage(sum: TurnRecord["usage"], more: Usage): NonNullable<TurnRecord["usage"]> {
  return {
    input: (sum?.input ?? 0) + more.input,
    output: (sum?.output ?? 0) + more.output,
    cacheRead: (sum?.cacheRead ?? 0) + more.cacheRead,
    cacheWrite: (sum?.cacheWrite ?? 0) + more.cacheWrite,
    totalTokens: (sum?.totalTokens ?? 0) + more.totalTokens,
    cost: (sum?.cost ?? 0) + more.cost.total,
  };
}
