/**
 * The pages of the UI, in the order of the navigation; each is loaded when it is opened. A page is shown where all methods
 * that it needs exist and may be called: one for a new room is an entry here and a file beside it.
 */
import type { ComponentType } from "preact";
import type { MethodName } from "../../src/gateway/protocol/index.ts";
import type { IconName } from "../ui/index.ts";

export interface PageModule {
  Page: ComponentType;
  /** Stands in the top bar, instead of nothing. */
  Header?: ComponentType;
}

export interface PageEntry {
  /** Of the address: `#/<path>`. */
  path: string;
  title: string;
  icon: IconName;
  /** One line for the command palette. */
  summary: string;
  group: "talk" | "mom" | "house" | "hidden";
  needs: readonly MethodName[];
  load(): Promise<PageModule>;
}

export const pages: readonly PageEntry[] = [
  {
    path: "chat",
    title: "Chat",
    icon: "chat",
    summary: "Talk to mom",
    group: "talk",
    needs: ["chat.history"],
    load: () => import("./chat.tsx"),
  },
  {
    path: "sessions",
    title: "Sessions",
    icon: "sessions",
    summary: "All conversations: tokens, cost, transcripts",
    group: "talk",
    needs: ["sessions.list"],
    load: () => import("./sessions.tsx"),
  },
  {
    path: "cron",
    title: "Cron",
    icon: "clock",
    summary: "What mom does on her own: jobs, reminders, heartbeat",
    group: "mom",
    needs: ["cron.list", "cron.runs", "cron.preview"],
    load: () => import("./cron.tsx"),
  },
  {
    path: "memory",
    title: "Memory",
    icon: "memory",
    summary: "What mom remembers: search, index",
    group: "mom",
    needs: ["memory.search", "memory.get", "memory.status"],
    load: () => import("./memory.tsx"),
  },
  {
    path: "channels",
    title: "Channels",
    icon: "channels",
    summary: "Chat platforms, and who asks to be let in",
    group: "mom",
    needs: ["channels.status"],
    load: () => import("./channels.tsx"),
  },
  {
    path: "models",
    title: "Models",
    icon: "models",
    summary: "Models, keys and cool-downs",
    group: "mom",
    needs: ["models.list"],
    load: () => import("./models.tsx"),
  },
  {
    path: "tools",
    title: "Tools",
    icon: "tools",
    summary: "What a session may use, and why not",
    group: "mom",
    needs: ["tools.list"],
    load: () => import("./tools.tsx"),
  },
  {
    path: "skills",
    title: "Skills",
    icon: "skills",
    summary: "What mom has learnt to do",
    group: "mom",
    needs: ["skills.status"],
    load: () => import("./skills.tsx"),
  },
  {
    path: "usage",
    title: "Usage",
    icon: "usage",
    summary: "Tokens and cost over time",
    group: "house",
    needs: ["sessions.usage"],
    load: () => import("./usage.tsx"),
  },
  {
    path: "config",
    title: "Config",
    icon: "config",
    summary: "How mom behaves",
    group: "house",
    needs: ["config.get", "config.schema"],
    load: () => import("./config.tsx"),
  },
  {
    path: "devices",
    title: "Devices",
    icon: "devices",
    summary: "Browsers and machines that are let in",
    group: "house",
    needs: ["device-pair.list"],
    load: () => import("./devices.tsx"),
  },
  {
    path: "logs",
    title: "Logs",
    icon: "logs",
    summary: "What mom writes down, live",
    group: "house",
    needs: ["logs.tail"],
    load: () => import("./logs.tsx"),
  },
  {
    path: "doctor",
    title: "Doctor",
    icon: "doctor",
    summary: "What is wrong, and the fix",
    group: "house",
    needs: ["doctor.run"],
    load: () => import("./doctor.tsx"),
  },
  {
    path: "welcome",
    title: "Welcome",
    icon: "welcome",
    summary: "Set mom up: a model, a chat, an owner",
    group: "hidden",
    needs: ["setup.status"],
    load: () => import("./welcome.tsx"),
  },
];
