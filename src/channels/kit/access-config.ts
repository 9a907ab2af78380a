/**
 * What every platform's config slice has alike: who may talk (spec 2.4), and what is shown of a turn. Spread into the
 * adapter's schema; imported by the catalogue, so it loads nothing heavy.
 */
import { z } from "zod";
import type { AccessRules } from "../../contracts/channel.ts";

/** What a right id looks like: names that people can change must not pass. */
export interface IdShape {
  pattern: RegExp;
  /** For the message about a wrong one: `a member id such as U012AB3CD`. */
  what: string;
}

export interface AccessOptions {
  /** Whom mom answers in groups by default: nobody's group but those named, where anybody can add a bot to a group. */
  groupsDefault: "everyone" | string[];
  /** Absent: any text without spaces. */
  userId?: IdShape;
  chatId?: IdShape;
}

const someId: IdShape = { pattern: /^\S+$/, what: "an id, without spaces" };

export function buildAccessFields({ groupsDefault, userId = someId, chatId = someId }: AccessOptions) {
  const people = z.array(buildId(userId));
  const everyoneOr = <Schema extends z.ZodType>(schema: Schema) => z.union([z.literal("everyone"), schema]);
  const chat = z.strictObject({
    senders: everyoneOr(people).exactOptional().describe("Who is answered in this chat. Absent: as in every group."),
    requireMention: z
      .boolean()
      .exactOptional()
      .describe("Whether mom must be mentioned in this chat. Absent: as in every group."),
  });
  return {
    enabled: z.boolean().default(true).describe("false: this login is left alone, and its settings are kept."),
    admins: people.default([]).describe("Ids of the people with admin rights. They may always write directly."),
    dm: z
      .union([z.enum(["everyone", "none"]), people])
      .default("none")
      .describe('Who else may write directly: "everyone", "none", or a list of ids.'),
    pairing: z
      .boolean()
      .default(true)
      .describe("Whether somebody unknown who writes directly gets a code that an admin can approve."),
    groups: z
      .strictObject({
        allow: everyoneOr(z.array(buildId(chatId)))
          .default(groupsDefault)
          .describe(
            'Groups that mom answers in: "everyone" for all, or a list of ids. Admins are answered in every one.',
          ),
        senders: everyoneOr(people)
          .default("everyone")
          .describe('Who is answered in groups: "everyone", or a list of ids.'),
        requireMention: z
          .boolean()
          .default(true)
          .describe("Whether mom answers in groups only when she is mentioned or replied to."),
        chats: z.record(buildId(chatId), chat).default({}).describe("What differs in one group, by its id."),
      })
      .prefault({})
      .describe("Where and whom mom answers in groups."),
    bots: people.default([]).describe("Ids of bots that may talk to mom. All others are only heard."),
  };
}

/** JSON numbers are cut to 53 bits, and ids of platforms are longer. */
const buildId = ({ pattern, what }: IdShape) =>
  z
    .string({
      error: ({ input }) => (typeof input === "number" ? "write it in quotes: large numbers lose digits" : undefined),
    })
    .regex(pattern, what);

type AccessFields = ReturnType<typeof buildAccessFields>;
type AccessConfig = z.output<z.ZodObject<AccessFields>>;

/** The rules of a config that has passed the schema. */
export function toAccessRules({ admins, dm, pairing, groups, bots }: Omit<AccessConfig, "enabled">): AccessRules {
  return { admins, dm, pairing, groups, bots };
}

/** What is shown of a running turn; for `createTurnShow`. */
export const showFields = {
  toolOutput: z
    .enum(["off", "summary", "full"])
    .default("summary")
    .describe("What is shown of tools: nothing, a line each, or their output too (in a thread, where there is one)."),
  streaming: z
    .boolean()
    .default(true)
    .describe("Whether a reply that takes long is shown while it is being written. false: only what mom is doing."),
  ackReaction: z
    .string()
    .max(64)
    .default("")
    .describe("An emoji that mom puts on a message while she works on it. Empty: none."),
  usageLine: z.boolean().default(false).describe("Whether the tokens of a turn are told below its reply, in a thread."),
};
