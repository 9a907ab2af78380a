/**
 * The names that are mom's own (spec 5.3), by group: also those of tools that are yet to come, so that a policy may speak
 * of them beforehand and nothing from outside can take their place.
 */
export const nativeNames = {
  fs: ["read", "write", "edit", "apply_patch", "ls", "find", "grep"],
  runtime: ["bash", "process"],
  sessions: ["sessions_spawn", "sessions_send", "sessions_list", "sessions_history", "session_status", "agents_list"],
  memory: ["memory_search", "memory_get"],
  web: ["web_search", "web_fetch"],
  ui: ["browser", "canvas"],
  media: ["image", "tts"],
  messaging: ["message", "attach"],
  automation: ["cron", "gateway"],
  nodes: ["nodes"],
  /** The way to custom tools is mom's own; they themselves are in this group too. */
  host: ["invoke_tool"],
} as const satisfies Record<string, readonly string[]>;

/** All native tools, whatever their group. */
export const nativeGroup = "mom";
/** Everything that is not native. */
export const hostGroup = "host";

export const listNativeNames = (): string[] => Object.values(nativeNames).flat();
export const listGroups = (): string[] => [...Object.keys(nativeNames), nativeGroup];

/** Is the group one that only native tools are in? */
export const isOwnGroup = (group: string): boolean =>
  group === nativeGroup || (group !== hostGroup && Object.hasOwn(nativeNames, group));
