/** Looks for names in the tool policy that mean no tool: a slip in `deny` would leave open what was meant to be closed. */
import { loadTools } from "./catalog.ts";
import type { ToolsConfig } from "./config.ts";
import { findUnknownNames } from "./policy/tool-names.ts";

/** One sentence per name, with what was probably meant. Called when tools are first used, and by checks of the config. */
export async function checkToolNames(config: Pick<ToolsConfig, "allow" | "deny">): Promise<string[]> {
  const { nativeTools } = await loadTools();
  const check = (key: "allow" | "deny") =>
    findUnknownNames(config[key], nativeTools).map((warning) => `tools.${key}: ${warning}`);
  return [...check("allow"), ...check("deny")];
}
