/** Sender × chat × rules → admitted, or why not. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AccessRules, GroupRules } from "../contracts/channel.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import { type Admission, admit, type Place } from "./admit.ts";

/** What somebody says: `@` speaks to mom, `~` is chatter beside her. The rest of the word is the sender's id. */
type Said = `@${string}` | `~${string}`;
/** `dm`, `unknown`, a group's id, or `topic<parent`. */
type Where = string;

interface Extra {
  isBot?: true;
  isPaired?: true;
  change?: ChannelMessage["change"];
  username?: string;
  displayName?: string;
}

const admin = "A";
const closed: AccessRules = { admins: [admin], dm: "none" };
const direct = (dm: AccessRules["dm"], more: Partial<AccessRules> = {}): AccessRules => ({ ...closed, dm, ...more });
const groups = (given: Partial<GroupRules>, more: Partial<AccessRules> = {}): AccessRules => ({
  ...closed,
  groups: { allow: "everyone", senders: "everyone", requireMention: true, chats: {}, ...given },
  ...more,
});

function ask(said: Said, where: Where, rules: AccessRules, extra: Extra = {}): Admission {
  const { isBot = false, isPaired = false, change, username = "somebody", displayName } = extra;
  const [chatId = "", parentId] = where.split("<");
  const message: ChannelMessage = {
    id: "m1",
    channelId: where === "dm" ? "D1" : chatId,
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: said.slice(1), username, isBot, ...(displayName !== undefined && { displayName }) },
    text: "hello",
    attachments: [],
    isMention: said.startsWith("@"),
    ...(change && { change }),
  };
  const chat = where === "dm" || where === "unknown" ? where : "group";
  const place: Place = { adapter: "acme", chat, rules, ...(parentId !== undefined && { parentId }) };
  return admit(message, place, { isPaired });
}

/** `admitted`, `heard`, or the setting that the refusal names, with `+code` where one may be given. */
function toWord(admission: Admission): string {
  if (admission.type !== "refused") return admission.type;
  const key = /adapters\.\S+/.exec(admission.reason)?.[0] ?? admission.reason;
  return key.replace("adapters.acme.", "") + (admission.mayPair ? "+code" : "");
}

type Row = [said: Said, where: Where, rules: AccessRules, expected: string, extra?: Extra];
function table(title: string, rows: Row[]): void {
  test(title, () => {
    for (const [said, where, rules, expected, extra] of rows) {
      const label = `${said} in ${where} under ${JSON.stringify(rules)} ${JSON.stringify(extra ?? {})}`;
      assert.equal(toWord(ask(said, where, rules, extra)), expected, label);
    }
  });
}

const none = direct("none");
const everyone = direct("everyone");
const listed = direct(["B", "C"]);
const pairing = direct("none", { pairing: true });
const listedOrPaired = direct(["B"], { pairing: true });

describe("who may write directly", () => {
  table("by the dm setting", [
    ["@A", "dm", none, "admitted"],
    ["@B", "dm", none, "dm"],
    ["@A", "dm", everyone, "admitted"],
    ["@B", "dm", everyone, "admitted"],
    ["@A", "dm", listed, "admitted"],
    ["@B", "dm", listed, "admitted"],
    ["@C", "dm", listed, "admitted"],
    ["@D", "dm", listed, "dm"],
    ["@D", "dm", direct([]), "dm"],
    ["@A", "dm", direct([]), "admitted"],
    ["@B", "dm", { admins: [], dm: "none" }, "dm"],
    ["~B", "dm", everyone, "heard"],
  ]);

  table("by pairing", [
    ["@B", "dm", pairing, "dm+code"],
    ["@B", "dm", pairing, "admitted", { isPaired: true }],
    ["@A", "dm", pairing, "admitted"],
    ["@B", "dm", listedOrPaired, "admitted"],
    ["@D", "dm", listedOrPaired, "dm+code"],
    ["@D", "dm", listedOrPaired, "admitted", { isPaired: true }],
    ["@B", "dm", direct("everyone", { pairing: true }), "admitted"],
    // Whom an admin has let in stays in when no more codes are given.
    ["@B", "dm", none, "admitted", { isPaired: true }],
    ["@B", "dm", direct("none", { pairing: false }), "dm"],
    ["~B", "dm", pairing, "heard"],
  ]);

  table("what groups say has no say here", [
    ["@B", "dm", groups({ senders: ["B"], allow: ["D1"] }), "dm"],
    ["@B", "dm", groups({ chats: { D1: { senders: "everyone", requireMention: false } } }), "dm"],
    ["@B", "dm", groups({ allow: [], senders: [] }, { dm: "everyone" }), "admitted"],
  ]);
});

describe("who is answered in a group", () => {
  table("without rules of its own: everybody who speaks to mom", [
    ["@B", "C1", none, "admitted"],
    ["@A", "C1", none, "admitted"],
    ["~B", "C1", none, "heard"],
    ["~A", "C1", none, "heard"],
    ["@B", "C1", everyone, "admitted"],
  ]);

  const onlyC1 = groups({ allow: ["C1"] });
  table("by the chats that are allowed", [
    ["@B", "C1", onlyC1, "admitted"],
    ["@B", "C2", onlyC1, "groups.allow"],
    ["~B", "C2", onlyC1, "heard"],
    ["@A", "C2", onlyC1, "admitted"],
    ["~A", "C2", onlyC1, "heard"],
    ["@B", "C1", groups({ allow: [] }), "groups.allow"],
    ["@A", "C1", groups({ allow: [] }), "admitted"],
    ["@B", "T5<C1", onlyC1, "admitted"],
    ["@B", "T5<C2", onlyC1, "groups.allow"],
    ["@B", "T5<C2", groups({ allow: ["T5"] }), "admitted"],
    ["@B", "C2", groups({ allow: ["T5"] }), "groups.allow"],
  ]);

  const onlyB = groups({ senders: ["B"] });
  table("by who is answered there", [
    ["@B", "C1", onlyB, "admitted"],
    ["@C", "C1", onlyB, "groups.senders"],
    ["~C", "C1", onlyB, "heard"],
    ["@A", "C1", onlyB, "admitted"],
    ["@C", "C1", groups({ senders: [] }), "groups.senders"],
    ["@C", "C2", groups({ allow: ["C1"], senders: ["C"] }), "groups.allow"],
  ]);

  const perChat = groups({ senders: ["B"], chats: { C1: { senders: ["C"] }, C2: { senders: "everyone" } } });
  table("a chat's own list wins, for those inside it too", [
    ["@C", "C1", perChat, "admitted"],
    ["@B", "C1", perChat, "groups.chats.C1.senders"],
    ["@A", "C1", perChat, "admitted"],
    ["@D", "C2", perChat, "admitted"],
    ["@D", "C3", perChat, "groups.senders"],
    ["@C", "T5<C1", perChat, "admitted"],
    ["@B", "T5<C1", perChat, "groups.chats.C1.senders"],
    ["@B", "T5<C1", groups({ chats: { C1: { senders: ["C"] }, T5: { senders: ["B"] } } }), "admitted"],
    ["@C", "T5<C1", groups({ chats: { C1: { senders: ["C"] }, T5: { senders: ["B"] } } }), "groups.chats.T5.senders"],
    ["@B", "constructor", perChat, "admitted"],
    ["@D", "__proto__", perChat, "groups.senders"],
  ]);

  const talkative = groups({ requireMention: false });
  const perChatMention = groups({ chats: { C1: { requireMention: false }, T6: { requireMention: true } } });
  table("by whether mom must be mentioned", [
    ["~B", "C1", talkative, "admitted"],
    ["@B", "C1", talkative, "admitted"],
    ["~B", "C1", perChatMention, "admitted"],
    ["~B", "C2", perChatMention, "heard"],
    ["~B", "T5<C1", perChatMention, "admitted"],
    ["~B", "T6<C1", perChatMention, "heard"],
    ["@B", "T6<C1", perChatMention, "admitted"],
    ["~B", "C1", groups({ requireMention: false, chats: { C1: { requireMention: true } } }), "heard"],
    ["~A", "C1", groups({ requireMention: false, senders: [] }), "admitted"],
    // Chatter of those who are not answered is chatter; who speaks to her is told why not.
    ["~C", "C1", groups({ requireMention: false, senders: ["B"] }), "heard"],
    ["@C", "C1", groups({ requireMention: false, senders: ["B"] }), "groups.senders"],
    ["~A", "C2", groups({ requireMention: false, allow: ["C1"] }), "heard"],
    ["~B", "C2", groups({ requireMention: false, allow: ["C1"] }), "heard"],
  ]);

  const strict = { senders: ["B"] };
  table("trust in a direct chat is no trust here", [
    ["@C", "C1", groups(strict, { dm: "everyone" }), "groups.senders"],
    ["@C", "C1", groups(strict, { dm: ["C"] }), "groups.senders"],
    ["@C", "C1", groups(strict), "groups.senders", { isPaired: true }],
    ["@C", "C1", groups(strict, { dm: ["C"], pairing: true }), "groups.senders", { isPaired: true }],
    ["@C", "C1", groups({ chats: { C1: strict } }), "groups.chats.C1.senders", { isPaired: true }],
    ["@C", "C1", groups({ allow: [] }, { dm: ["C"] }), "groups.allow", { isPaired: true }],
    ["@C", "C1", groups(strict, { pairing: true }), "groups.senders"],
  ]);
});

describe("a chat that nothing is known of", () => {
  table("needs the rights of both kinds, and gives no codes", [
    ["@B", "unknown", none, "dm"],
    ["@B", "unknown", everyone, "admitted"],
    ["@B", "unknown", pairing, "dm"],
    ["@B", "unknown", pairing, "admitted", { isPaired: true }],
    ["@B", "unknown", groups({ senders: ["C"] }, { dm: "everyone" }), "groups.senders"],
    ["@A", "unknown", groups({ allow: [] }), "admitted"],
    ["~B", "unknown", everyone, "heard"],
    ["~B", "unknown", groups({ requireMention: false }, { dm: "everyone" }), "heard"],
  ]);
});

describe("bots", () => {
  const bot = { isBot: true } as const;
  const withB = { bots: ["B"] };
  table("are only heard unless they are listed, and then measured like people", [
    ["@B", "dm", everyone, "heard", bot],
    ["@B", "C1", none, "heard", bot],
    ["@A", "dm", everyone, "heard", bot],
    ["@A", "C1", none, "heard", bot],
    ["@B", "dm", direct("everyone", withB), "admitted", bot],
    ["@B", "dm", direct("none", withB), "dm", bot],
    ["@B", "dm", direct("none", { ...withB, pairing: true }), "dm", bot],
    ["@C", "dm", direct("everyone", withB), "heard", bot],
    ["@B", "C1", direct("none", withB), "admitted", bot],
    ["~B", "C1", direct("none", withB), "heard", bot],
    ["@B", "C1", groups({ senders: ["C"] }, withB), "groups.senders", bot],
    ["@B", "C2", groups({ allow: ["C1"] }, withB), "groups.allow", bot],
    ["~B", "C1", groups({ requireMention: false }, withB), "admitted", bot],
    ["~C", "C1", groups({ requireMention: false }, withB), "heard", bot],
    ["@A", "C1", groups({ allow: [] }, { bots: ["A"] }), "admitted", bot],
    // The list is for bots; it lets no person in.
    ["@B", "dm", direct("none", withB), "dm"],
  ]);
});

describe("changes of earlier messages", () => {
  const edit = { change: { type: "edit", ref: "m0" } } as const;
  const deletion = { change: { type: "delete", ref: "m0" } } as const;
  table("are history, whoever makes them and wherever", [
    ["@A", "dm", everyone, "heard", edit],
    ["~A", "dm", everyone, "heard", deletion],
    ["@B", "dm", pairing, "heard", edit],
    ["@B", "C1", groups({ allow: [] }), "heard", edit],
    ["~B", "C1", groups({ requireMention: false }), "heard", edit],
    ["~B", "C1", groups({ requireMention: false }), "heard", deletion],
  ]);
});

describe("tricks with names", () => {
  const asAdmin = { username: admin, displayName: admin };
  const names = { username: "B", displayName: "B" };
  table("a name is not an id", [
    ["@E", "dm", none, "dm", asAdmin],
    ["@E", "dm", listed, "dm", names],
    ["@E", "C1", groups({ senders: ["B"] }), "groups.senders", names],
    ["@E", "C1", groups({ allow: [] }), "groups.allow", asAdmin],
    ["@E", "C1", direct("none", { bots: ["B"] }), "heard", { ...names, isBot: true }],
  ]);
  const ids = direct(["U01AB"], { admins: ["U01AB"], groups: groups({ senders: ["U01AB"] }).groups ?? assert.fail() });
  const alikes = [
    "u01ab",
    "U01AB ",
    " U01AB",
    "U01AB\n",
    "UO1AB",
    "U01\u0410B",
    "U01AB\u200b",
    "U01A",
    "U01ABC",
    "",
    "*",
  ];
  table("an id that looks like another is another", [
    ...alikes.map((id): Row => [`@${id}`, "dm", ids, "dm"]),
    ...alikes.map((id): Row => [`@${id}`, "C1", ids, "groups.senders"]),
    ["@U01AB", "dm", ids, "admitted"],
    ["@U01AB", "C1", ids, "admitted"],
  ]);
  table("words of the rules are not ids", [
    ["@everyone", "dm", none, "dm"],
    ["@none", "dm", none, "dm"],
    ["@n", "dm", none, "dm"],
    ["@every", "C1", groups({ senders: [] }), "groups.senders"],
  ]);
});

test("a refusal names the key as `mom config set` takes it", () => {
  const message: ChannelMessage = {
    id: "m1",
    channelId: "-100/5",
    timestamp: "",
    sender: { id: "B", username: "b", isBot: false },
    text: "",
    attachments: [],
    isMention: true,
  };
  const rules = groups({ chats: { "-100.7": { senders: [] } } });
  const place: Place = { adapter: "my.team", chat: "group", parentId: "-100.7", rules };
  const refused = admit(message, place, { isPaired: false });
  assert.deepEqual(refused, {
    type: "refused",
    reason: 'B is not answered in -100/5; adapters."my.team".groups.chats."-100.7".senders says who is',
  });
});
