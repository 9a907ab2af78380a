/** The gateway's web chat as a channel: definition and capabilities. */
import { ChannelError } from "../../base/errors.ts";
import type { ChannelDefinition, ChannelDeps } from "../definition.ts";
import { createWebchatAdapter, type WebchatAdapter } from "./adapter.ts";
import { webchatCapabilities } from "./capabilities.ts";
import type { WebchatConfig } from "./config.ts";

export const webchatChannel = {
  type: "webchat",
  capabilities: webchatCapabilities,
  createAdapter(
    name: string,
    _config: WebchatConfig,
    { clock, screen }: Pick<ChannelDeps, "clock" | "screen">,
  ): WebchatAdapter {
    if (!screen) {
      throw new ChannelError("WEBCHAT_NEEDS_GATEWAY", `The adapter "${name}" is the gateway's, and none runs here.`, {
        hint: "Switch the gateway on (gateway.enabled), or remove the adapter from the configuration.",
      });
    }
    return createWebchatAdapter({ name, clock, screen });
  },
} satisfies ChannelDefinition<WebchatConfig, WebchatAdapter>;
