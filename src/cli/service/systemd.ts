/** mom as a service of a Linux account: a unit for `systemctl --user`. */
import { basename, join } from "node:path";
import { marker, type ServiceFacts, type ServicePlan } from "./service-plan.ts";

export function buildSystemdPlan(facts: ServiceFacts, { configDir }: { configDir: string }): ServicePlan {
  const unit = `${facts.name}.service`;
  const folder = join(configDir, "systemd", "user");
  return {
    manager: "systemd",
    filePath: join(folder, unit),
    text: buildUnit(facts),
    command: buildCommand(facts),
    otherPaths: [join(folder, "default.target.wants", unit)],
    enable: ["systemctl --user daemon-reload", `systemctl --user enable --now ${unit}`],
    disable: [`systemctl --user stop ${unit}`, "systemctl --user daemon-reload"],
    notes: [
      "So that it runs while you are not logged in: loginctl enable-linger",
      `What it prints: journalctl --user -u ${unit}`,
    ],
  };
}

const buildCommand = ({ nodePath, programPath, dataDir }: ServiceFacts): string =>
  `ExecStart=${[quoteProgram(nodePath), ...[programPath, "run", dataDir].map(quoteArgument)].join(" ")}\n`;

function buildUnit(facts: ServiceFacts): string {
  const { dataDir, path } = facts;
  const lines = [
    `# ${marker}; it is written anew by the next one.`,
    "[Unit]",
    `Description=${escapeSpecifiers(`mom, a self-hosted assistant (${basename(dataDir)})`)}`,
    "StartLimitIntervalSec=300",
    "StartLimitBurst=10",
    "",
    "[Service]",
    buildCommand(facts).trimEnd(),
    ...(path === undefined ? [] : [`Environment=${quote(escapeSpecifiers(`PATH=${path}`))}`]),
    "Restart=on-failure",
    "RestartSec=5",
    "# Bad use or a bad config: beginning anew would not help.",
    "RestartPreventExitStatus=2",
    "# mom stops within ten seconds and ends what her tools have started.",
    "TimeoutStopSec=30",
    "KillMode=mixed",
    "# A tool that takes all memory is ended, not mom.",
    "OOMPolicy=continue",
    "UMask=0077",
    "# Keys and conversations do not belong into a core dump.",
    "LimitCORE=0",
    "# No NoNewPrivileges, RestrictNamespaces, SystemCallFilter, Protect… or Private…: they would take away the namespaces and",
    "# mounts from which bwrap builds the sandbox of mom's tools, and that one is narrower.",
    "",
    "[Install]",
    "WantedBy=default.target",
  ];
  return `${lines.join("\n")}\n`;
}

/** systemd replaces `%…` everywhere. */
const escapeSpecifiers = (text: string) => text.replaceAll("%", "%%");

/** In the program's own path variables are not looked for, so `$` stands for itself there. */
const quoteProgram = (text: string) => quote(escapeSpecifiers(text));
const quoteArgument = (text: string) => quote(escapeSpecifiers(text).replaceAll("$", "$$$$"));

/** Inside double quotes. Whoever gives the facts has refused control characters. */
const quote = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
