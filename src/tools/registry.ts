/** The native tools by name, with their groups and how each is made for one turn. Their order is the order shown to models. */
import type { KeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Operations } from "../contracts/sandbox.ts";
import type { Outbox } from "../contracts/store.ts";
import type { Tool, ToolScope } from "../contracts/tool.ts";
import { createCronTool } from "./automation/cron.ts";
import type { ToolsConfig } from "./config.ts";
import type { ToolDoors } from "./doors.ts";
import { createApplyPatchTool } from "./fs/apply-patch.ts";
import { createEditTool } from "./fs/edit.ts";
import { createFindTool } from "./fs/find.ts";
import { createGrepTool } from "./fs/grep.ts";
import { createLsTool } from "./fs/ls.ts";
import { createReadTool } from "./fs/read.ts";
import type { TextWork } from "./fs/text-work.ts";
import { createWriteTool } from "./fs/write.ts";
import type { HostTools } from "./host/host-tools.ts";
import { createInvokeTool } from "./host/invoke-tool.ts";
import type { ChatDirectory } from "./kit/chat-directory.ts";
import type { ImageWork } from "./kit/image-work.ts";
import { pickOwnChat } from "./kit/outside-file.ts";
import { createSpillFiles } from "./kit/spill-file.ts";
import type { AskModel } from "./media/describe-image.ts";
import { createImageTool } from "./media/image.ts";
import { createTtsTool } from "./media/tts.ts";
import { createMemoryGetTool } from "./memory/memory-get.ts";
import { createMemorySearchTool } from "./memory/memory-search.ts";
import { toMemoryReader } from "./memory/to-memory-reader.ts";
import { createAttachTool } from "./messaging/attach.ts";
import { createMessageTool } from "./messaging/message.ts";
import type { PolicyTool } from "./policy/tool-names.ts";
import type { SessionRuns } from "./runtime/background-runs.ts";
import { createBashTool } from "./runtime/bash.ts";
import { createProcessTool } from "./runtime/process.ts";
import { createAgentsListTool } from "./sessions/agents-list.ts";
import { createSessionStatusTool } from "./sessions/session-status.ts";
import { createSessionsHistoryTool } from "./sessions/sessions-history.ts";
import { createSessionsListTool } from "./sessions/sessions-list.ts";
import { createSessionsSendTool } from "./sessions/sessions-send.ts";
import { createSessionsSpawnTool } from "./sessions/sessions-spawn.ts";
import type { Browser } from "./ui/browser.ts";
import { createBrowserTool } from "./ui/browser-tool.ts";
import type { WebTools } from "./web/create-web-tools.ts";

/** What tools are made from: the doors they may use, on whose behalf. */
export interface ToolContext {
  operations: Operations;
  scope: ToolScope;
  clock: Clock;
  outbox: Outbox;
  doors: ToolDoors;
  /** Where text in the conversation came from, if it came from outside. */
  findOutside(): Promise<string | undefined>;
  directory: ChatDirectory;
  /** For files that tools keep beside their answer, relative to the working folder. */
  scratchFolder: string;
  queue: KeyedQueue;
  /** Are programs kept from the rest of the machine? */
  isConfined: boolean;
  /** May programs use the network? */
  hasNetwork: boolean;
  runs: SessionRuns;
  imageWork: ImageWork;
  textWork: TextWork;
  web: WebTools;
  browser: Browser;
  hostTools: HostTools;
  askModel: AskModel;
  config: Pick<ToolsConfig, "image" | "tts" | "host">;
}

export interface RegisteredTool extends PolicyTool {
  create(context: ToolContext): Tool;
}

const buildSpill = ({ operations, scratchFolder, queue }: ToolContext) =>
  createSpillFiles(operations, scratchFolder, queue);

const withOwnChat = (context: ToolContext) => ({ ...context, ownChat: pickOwnChat(context) });
const toMemoryParts = ({ doors, scope }: ToolContext) => ({ memory: doors.memory, reader: toMemoryReader(scope) });

export const nativeTools: readonly RegisteredTool[] = [
  { name: "read", group: "fs", create: (context) => createReadTool(context.operations, withOwnChat(context)) },
  { name: "write", group: "fs", create: ({ operations }) => createWriteTool(operations) },
  { name: "edit", group: "fs", create: ({ operations, textWork }) => createEditTool(operations, { textWork }) },
  {
    name: "apply_patch",
    group: "fs",
    create: ({ operations, textWork }) => createApplyPatchTool(operations, { textWork }),
  },
  { name: "ls", group: "fs", create: ({ operations }) => createLsTool(operations) },
  { name: "find", group: "fs", create: ({ operations }) => createFindTool(operations) },
  { name: "grep", group: "fs", create: (context) => createGrepTool(context.operations, withOwnChat(context)) },
  {
    name: "bash",
    group: "runtime",
    create: (context) => createBashTool(context.operations, { ...context, spill: buildSpill(context) }),
  },
  {
    name: "process",
    group: "runtime",
    create: (context) => createProcessTool({ ...context, spill: buildSpill(context) }),
  },
  { name: "web_search", group: "web", create: ({ web }) => web.searchTool },
  { name: "web_fetch", group: "web", create: ({ web }) => web.fetchTool },
  {
    name: "browser",
    group: "ui",
    create: (context) => createBrowserTool(context.browser, context.operations, context),
  },
  {
    name: "image",
    group: "media",
    create: (context) =>
      createImageTool(context.operations, {
        ...withOwnChat(context),
        work: context.imageWork,
        fetchUrl: context.web.fetchFile,
        config: context.config.image,
      }),
  },
  {
    name: "tts",
    group: "media",
    create: (context) => createTtsTool(context.operations, { ...context, config: context.config.tts }),
  },
  { name: "message", group: "messaging", create: (context) => createMessageTool(context.operations, context) },
  {
    name: "attach",
    group: "messaging",
    needsMachine: true,
    create: ({ operations, outbox, scope }) => createAttachTool(operations, { outbox, scope }),
  },
  {
    name: "cron",
    group: "automation",
    create: (context) => createCronTool({ ...context, cron: context.doors.cron }),
  },
  {
    name: "sessions_spawn",
    group: "sessions",
    create: ({ doors, scope }) => createSessionsSpawnTool({ subagents: doors.subagents, scope }),
  },
  {
    name: "sessions_send",
    group: "sessions",
    create: ({ doors, scope }) => createSessionsSendTool({ door: doors.sessions, scope }),
  },
  {
    name: "sessions_list",
    group: "sessions",
    create: ({ doors, scope }) => createSessionsListTool({ door: doors.sessions, scope }),
  },
  {
    name: "sessions_history",
    group: "sessions",
    create: ({ doors, scope }) => createSessionsHistoryTool({ door: doors.sessions, scope }),
  },
  {
    name: "session_status",
    group: "sessions",
    create: ({ doors, scope }) => createSessionStatusTool({ door: doors.sessions, scope }),
  },
  {
    name: "agents_list",
    group: "sessions",
    create: ({ doors, scope }) => createAgentsListTool({ door: doors.sessions, scope }),
  },
  {
    name: "memory_search",
    group: "memory",
    create: (context) => createMemorySearchTool({ ...withOwnChat(context), ...toMemoryParts(context) }),
  },
  {
    name: "memory_get",
    group: "memory",
    create: (context) => createMemoryGetTool({ ...withOwnChat(context), ...toMemoryParts(context) }),
  },
  {
    name: "invoke_tool",
    group: "host",
    create: ({ hostTools, clock, config }) =>
      createInvokeTool({ hostTools, clock, timeoutMs: config.host.timeoutSeconds * 1000 }),
  },
];
