/** What a login of Slack's is made of. Asked for by `mom init` and the web page; loads nothing. */
import type { LoginField } from "../definition.ts";

export const slackLoginFields: readonly LoginField[] = [
  {
    key: "botToken",
    label: "Bot token",
    hint: 'api.slack.com/apps, your app, "OAuth & Permissions": Bot User OAuth Token',
    isSecret: true,
    pattern: /^(?:xoxe\.)?xoxb-\S+$/,
  },
  {
    key: "appToken",
    label: "App-level token",
    hint: 'the same app, "Basic Information", "App-Level Tokens", with the scope connections:write',
    isSecret: true,
    pattern: /^xapp-\S+$/,
  },
  {
    key: "admins",
    label: "Member ids of the admins",
    hint: "in Slack: your profile, ⋮, Copy member ID",
    isSecret: false,
    pattern: /^[UW][A-Z0-9]+$/,
    isList: true,
  },
];
