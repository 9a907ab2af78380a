/** mom as a service of a macOS account: a property list for launchd. */
import { join } from "node:path";
import { quoteForShell } from "../quote-for-shell.ts";
import { marker, type ServiceFacts, type ServicePlan } from "./service-plan.ts";

export function buildLaunchdPlan(facts: ServiceFacts, { home, uid }: { home: string; uid: number }): ServicePlan {
  const label = `local.${facts.name}`;
  const filePath = join(home, "Library", "LaunchAgents", `${label}.plist`);
  // mom's own log lies in the data directory, which may not be there yet.
  const outputPath = join(home, "Library", "Logs", `${label}.log`);
  return {
    manager: "launchd",
    filePath,
    text: buildPropertyList(label, facts, outputPath),
    command: buildCommand(facts).join("\n"),
    otherPaths: [],
    enable: [`launchctl enable gui/${uid}/${label}`, `launchctl bootstrap gui/${uid} ${quoteForShell(filePath)}`],
    disable: [`launchctl bootout gui/${uid}/${label}`],
    notes: [`What it prints: ${outputPath}`],
  };
}

const buildCommand = ({ nodePath, programPath, dataDir }: ServiceFacts): string[] =>
  [nodePath, programPath, "run", dataDir].map((word) => `    ${toXml("string", word)}`);

function buildPropertyList(label: string, facts: ServiceFacts, outputPath: string): string {
  const { path } = facts;
  const output = toXml("string", outputPath);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${marker}; it is written anew by the next one. -->`,
    '<plist version="1.0">',
    "<dict>",
    ...entry("Label", toXml("string", label)),
    ...entry("ProgramArguments", "<array>", ...buildCommand(facts), "  </array>"),
    ...(path === undefined
      ? []
      : entry("EnvironmentVariables", "<dict>", "    <key>PATH</key>", `    ${toXml("string", path)}`, "  </dict>")),
    ...entry("RunAtLoad", "<true/>"),
    // Anew after a failure, not after an orderly end.
    ...entry("KeepAlive", "<dict>", "    <key>SuccessfulExit</key>", "    <false/>", "  </dict>"),
    ...entry("ThrottleInterval", "<integer>10</integer>"),
    ...entry("ExitTimeOut", "<integer>30</integer>"),
    // 077: what is made belongs to this account alone.
    ...entry("Umask", "<integer>63</integer>"),
    ...entry("StandardOutPath", output),
    ...entry("StandardErrorPath", output),
    "</dict>",
    "</plist>",
  ];
  return `${lines.join("\n")}\n`;
}

const entry = (key: string, first: string, ...rest: string[]) => [`  <key>${key}</key>`, `  ${first}`, ...rest];

function toXml(tag: string, text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<${tag}>${escaped}</${tag}>`;
}
