/**
 * A tool of one platform (spec 2.6), as its folder declares it. `build-channel-tools.ts` makes it a tool of a turn: bound to
 * the chat and the account, behind its gate in the config.
 */
import type { Static, TSchema } from "typebox";
import type { PlatformAdapter } from "../../contracts/channel.ts";

export interface ChannelTool<Adapter extends PlatformAdapter, Params extends TSchema = TSchema> {
  /** `telegram_send_poll`. */
  name: string;
  label: string;
  /** For the model; short, it is sent with every request. */
  description: string;
  /** Without `accountId`, which every one of them takes. */
  parameters: Params;
  /** `channels.<type>.actions.<gate>`; the folder's `config.ts` has the table of them. */
  gate: string;
  /** Acts on people beyond the chat's own talk: needs an approval where text from outside is in the conversation. */
  isOutward?: true;
  /** The chat that the call is about, by the parameters. Undefined: it is about none (a member of a server). */
  chatOf(params: Static<Params>): string | undefined;
  /** Calls the platform. The text is for the model; throws a coded error that says what the platform said. */
  run(adapter: Adapter, params: Static<Params>): Promise<string>;
}

/** Typed where it is declared, uniform in the list. */
export function defineChannelTool<Adapter extends PlatformAdapter, Params extends TSchema>(
  tool: ChannelTool<Adapter, Params>,
): ChannelTool<Adapter, TSchema> {
  return tool as unknown as ChannelTool<Adapter, TSchema>;
}
