/**
 * Every terminal command, by name. Only the one that is called is loaded, so that `--help` costs nothing more when a command
 * grows. A new command is one file in commands/ and one entry here.
 */
import type { Command } from "commander";
import type { CliIo } from "./io.ts";

export interface CommandEntry {
  name: string;
  /** One line in `mom --help`. */
  summary: string;
  /** The heading it stands under in `mom --help`. */
  group: string;
  /** Also meant when the first word is no command: `mom <data-dir>`. At most one. */
  isDefault?: true;
  load(): Promise<(io: CliIo) => Command>;
}

const talk = "Talk:";
const operate = "Operate:";
const data = "Look and change:";

export const commandCatalog: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "start every adapter of a data directory (what `mom <data-dir>` does)",
    group: operate,
    isDefault: true,
    load: async () => (await import("./commands/run.ts")).buildRunCommand,
  },
  {
    name: "chat",
    summary: "talk to mom in this terminal",
    group: talk,
    load: async () => (await import("./commands/chat.ts")).buildChatCommand,
  },
  {
    name: "agent",
    summary: "run one turn and print the reply",
    group: talk,
    load: async () => (await import("./commands/agent.ts")).buildAgentCommand,
  },
  {
    name: "send",
    summary: "post a message to a chat as mom",
    group: talk,
    load: async () => (await import("./commands/send.ts")).buildSendCommand,
  },
  {
    name: "init",
    summary: "set mom up: data directory, model, a chat platform with its login",
    group: operate,
    load: async () => (await import("./commands/init.ts")).buildInitCommand,
  },
  {
    name: "status",
    summary: "show what is running and how it is doing",
    group: operate,
    load: async () => (await import("./commands/status.ts")).buildStatusCommand,
  },
  {
    name: "logs",
    summary: "read and follow the log",
    group: operate,
    load: async () => (await import("./commands/logs.ts")).buildLogsCommand,
  },
  {
    name: "approvals",
    summary: "answer what waits for an admin's word, and see what is allowed for good",
    group: operate,
    load: async () => (await import("./commands/approvals.ts")).buildApprovalsCommand,
  },
  {
    name: "channels",
    summary: "list the logins to chat platforms, see how they are, and end one",
    group: operate,
    load: async () => {
      const { buildChannelsCommand } = await import("./commands/channels.ts");
      return (io) => buildChannelsCommand(io);
    },
  },
  {
    name: "pair",
    summary: "let in people who were given a code, and see who was let in",
    group: operate,
    load: async () => (await import("./commands/pair.ts")).buildPairCommand,
  },
  {
    name: "gateway",
    summary: "see the gateway of a running mom, get a link for a browser, call its methods",
    group: operate,
    load: async () => (await import("./commands/gateway.ts")).buildGatewayCommand,
  },
  {
    name: "devices",
    summary: "let in browsers, apps and nodes, and end their trust",
    group: operate,
    load: async () => (await import("./commands/devices.ts")).buildDevicesCommand,
  },
  {
    name: "service",
    summary: "have the system keep mom running (systemd, launchd)",
    group: operate,
    load: async () => (await import("./commands/service.ts")).buildServiceCommand,
  },
  {
    name: "update",
    summary: "say how a newer mom is got",
    group: operate,
    load: async () => (await import("./commands/update.ts")).buildUpdateCommand,
  },
  {
    name: "completion",
    summary: "print a script that completes commands in bash, zsh or fish",
    group: operate,
    load: async () => {
      const { buildCompletionCommand } = await import("./commands/completion.ts");
      return (io) => buildCompletionCommand(io, commandCatalog);
    },
  },
  {
    name: "doctor",
    summary: "find what is wrong and say the fix",
    group: operate,
    load: async () => (await import("./commands/doctor.ts")).buildDoctorCommand,
  },
  {
    name: "cron",
    summary: "list, add, change and run jobs: what mom does on her own, and when",
    group: data,
    load: async () => (await import("./commands/cron.ts")).buildCronCommand,
  },
  {
    name: "sessions",
    summary: "list and show conversations",
    group: data,
    load: async () => (await import("./commands/sessions.ts")).buildSessionsCommand,
  },
  {
    name: "prompt",
    summary: "show what the model is told, with the size of each part",
    group: data,
    load: async () => (await import("./commands/prompt.ts")).buildPromptCommand,
  },
  {
    name: "usage",
    summary: "show what the models have cost",
    group: data,
    load: async () => (await import("./commands/usage.ts")).buildUsageCommand,
  },
  {
    name: "models",
    summary: "list the models and whether they can be used",
    group: data,
    load: async () => (await import("./commands/models.ts")).buildModelsCommand,
  },
  {
    name: "auth",
    summary: "add, list, order and remove keys and logins for models",
    group: data,
    load: async () => {
      const { buildAuthCommand } = await import("./commands/auth.ts");
      return (io) => buildAuthCommand(io);
    },
  },
  {
    name: "tools",
    summary: "list the tools that a session may use, and say why not the others",
    group: data,
    load: async () => (await import("./commands/tools.ts")).buildToolsCommand,
  },
  {
    name: "memory",
    summary: "search what mom remembers, and keep the index over it",
    group: data,
    load: async () => (await import("./commands/memory.ts")).buildMemoryCommand,
  },
  {
    name: "skills",
    summary: "list, check and install what mom has learnt to do",
    group: data,
    load: async () => (await import("./commands/skills.ts")).buildSkillsCommand,
  },
  {
    name: "config",
    summary: "get, set and validate the configuration",
    group: data,
    load: async () => (await import("./commands/config.ts")).buildConfigCommand,
  },
  {
    name: "migrate",
    summary: "bring old logs and transcripts into today's format",
    group: data,
    load: async () => (await import("./commands/migrate.ts")).buildMigrateCommand,
  },
];
