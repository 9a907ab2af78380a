/** Which agent answers a message (spec 3.3): the first route whose named parts all match. Ids only, never names. */
import type { RoutesConfig } from "./config.ts";

/** Answers where no route says otherwise. */
export const mainAgentId = "main";

export function pickAgent(
  routes: RoutesConfig,
  from: { adapter: string; channelId: string; senderId: string },
): string {
  const isMet = (wanted: string | undefined, actual: string) => wanted === undefined || wanted === actual;
  const route = routes.find(
    ({ adapter, channel, sender }) =>
      isMet(adapter, from.adapter) && isMet(channel, from.channelId) && isMet(sender, from.senderId),
  );
  return route?.agent ?? mainAgentId;
}
