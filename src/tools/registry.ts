/** The native tools by name, with their groups and how each is made for one turn. Their order is the order shown to models. */
import type { KeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Operations } from "../contracts/sandbox.ts";
import type { Scheduler } from "../contracts/schedule.ts";
import type { Outbox } from "../contracts/store.ts";
import type { Tool, ToolScope } from "../contracts/tool.ts";
import { createCronTool } from "./automation/cron.ts";
import { createEditTool } from "./fs/edit.ts";
import { createFindTool } from "./fs/find.ts";
import { createGrepTool } from "./fs/grep.ts";
import { createLsTool } from "./fs/ls.ts";
import { createReadTool } from "./fs/read.ts";
import { createWriteTool } from "./fs/write.ts";
import { createSpillFiles } from "./kit/spill-file.ts";
import { createAttachTool } from "./messaging/attach.ts";
import { createBashTool } from "./runtime/bash.ts";

/** What tools are made from: the doors they may use, on whose behalf. */
export interface ToolContext {
  operations: Operations;
  scope: ToolScope;
  clock: Clock;
  outbox: Outbox;
  scheduler: Scheduler;
  /** For files that tools keep beside their answer, relative to the working folder. */
  scratchFolder: string;
  queue: KeyedQueue;
}

export interface RegisteredTool {
  name: string;
  group: "fs" | "runtime" | "messaging" | "automation";
  create(context: ToolContext): Tool;
}

export const nativeTools: readonly RegisteredTool[] = [
  { name: "read", group: "fs", create: ({ operations }) => createReadTool(operations) },
  { name: "write", group: "fs", create: ({ operations }) => createWriteTool(operations) },
  { name: "edit", group: "fs", create: ({ operations }) => createEditTool(operations) },
  { name: "ls", group: "fs", create: ({ operations }) => createLsTool(operations) },
  { name: "find", group: "fs", create: ({ operations }) => createFindTool(operations) },
  { name: "grep", group: "fs", create: ({ operations }) => createGrepTool(operations) },
  {
    name: "bash",
    group: "runtime",
    create: ({ operations, clock, scratchFolder, queue }) =>
      createBashTool(operations, { clock, spill: createSpillFiles(operations, scratchFolder, queue) }),
  },
  {
    name: "attach",
    group: "messaging",
    create: ({ operations, outbox, scope }) => createAttachTool(operations, { outbox, scope }),
  },
  {
    name: "cron",
    group: "automation",
    create: ({ scheduler, clock, scope }) => createCronTool({ scheduler, clock, scope }),
  },
];
