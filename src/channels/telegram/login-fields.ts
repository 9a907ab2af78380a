/** What a login of Telegram's is made of. Asked for by `mom init` and the web page; loads nothing. */
import type { LoginField } from "../definition.ts";
import { tokenPattern } from "./config.ts";

export const telegramLoginFields: readonly LoginField[] = [
  {
    key: "botToken",
    label: "Bot token",
    hint: "Write /newbot to @BotFather in Telegram; the token is in its answer.",
    isSecret: true,
    pattern: tokenPattern,
  },
  {
    key: "admins",
    label: "Your user id",
    hint: "Write anything to @userinfobot in Telegram; it answers with your id.",
    isSecret: false,
    pattern: /^\d{1,20}$/,
    isList: true,
  },
];
