/** Writes an adapter into config.json: comments and everything else in the file stay. A running mom follows by itself. */
import { configSchema } from "../../app/index.ts";
import { buildInvalidError, editConfig, loadConfig, saveConfigText, toParseDeps } from "../../config/index.ts";
import type { CliIo } from "../io.ts";

interface NewAdapter {
  io: CliIo;
  dataDir: string;
  name: string;
  adapter: Record<string, unknown>;
}

/** Throws `CONFIG_INVALID` when the file could not take it; nothing is written then. */
export async function saveAdapter({ io, dataDir, name, adapter }: NewAdapter): Promise<void> {
  const deps = { schema: configSchema, env: io.env };
  const { text } = await loadConfig(dataDir, deps);
  const edited = await editConfig(text, `adapters."${name}"`, adapter, toParseDeps(dataDir, deps));
  if (edited.type === "ok") return saveConfigText(dataDir, edited.text);
  throw await buildInvalidError(dataDir, edited.type === "invalid" ? edited.problems : []);
}
