/** What a login of Discord's is made of. Asked for by `mom init` and the web page; loads nothing. */
import type { LoginField } from "../definition.ts";

/** Where tokens and intents are found. */
export const portalHint =
  "In Discord's developer portal (https://discord.com/developers/applications), open the application, then the page Bot";

export const discordLoginFields: readonly LoginField[] = [
  {
    key: "botToken",
    label: "Bot token",
    hint: `${portalHint}: "Reset Token" shows it once.`,
    isSecret: true,
    pattern: /^[\w-]{18,}\.[\w-]{5,}\.[\w-]{20,}$/,
  },
  {
    key: "admins",
    label: "Your Discord user id",
    hint: "Discord's settings, Advanced, Developer Mode; then right-click your name and copy the id.",
    isSecret: false,
    pattern: /^\d{15,20}$/,
    isList: true,
  },
];
