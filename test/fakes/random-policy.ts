/** Tool policies and turns from a seed, for property tests: the same seed gives the same ones, and rules meet turns often. */
import type { SessionType } from "../../src/contracts/session.ts";
import type { Situation } from "./policy-case.ts";
import type { Random } from "./random-history.ts";

/** As it would be written in the config. */
export interface RawRules {
  profile?: string;
  allow?: string[];
  deny?: string[];
}
export interface RawTools extends RawRules {
  byProvider?: Record<string, RawRules>;
  byModel?: Record<string, RawRules>;
  bySession?: Partial<Record<SessionType, RawRules>>;
  byChannel?: Record<string, RawRules>;
  bySender?: Record<string, RawRules>;
  sandbox?: RawRules;
}
export interface RawPolicy {
  tools: RawTools;
  agents: Record<string, RawRules & { byProvider?: Record<string, RawRules> }>;
}

const entries =
  "read write edit apply_patch ls grep bash exec EXEC process cron gateway session_status memory_get web_fetch web-fetch message attach weather getStock mcp-files teleport * *e* s* group:fs group:runtime group:web group:mom group:host group:sessions group:messaging group:files group:nothing".split(
    " ",
  );
const sessionTypes: readonly SessionType[] = ["main", "dm", "group", "topic", "subagent", "cron"];

export function buildRandomPolicy(random: Random): RawPolicy {
  const rules = (hasProfile: boolean): RawRules => ({
    ...(hasProfile && random.chance(0.3) && { profile: pickOne(random, ["coding", "messaging", "full", "full"]) }),
    ...(random.chance(0.4) && { allow: pickSome(random, 12) }),
    ...(random.chance(0.4) && { deny: pickSome(random, 3) }),
  });
  const byKey = (keys: readonly string[], hasProfile: boolean) =>
    Object.fromEntries(keys.filter(() => random.chance(0.4)).map((key) => [key, rules(hasProfile)]));
  const providers = () => byKey(["lab", "l*", "openai"], true);
  return {
    tools: {
      ...rules(true),
      byProvider: providers(),
      byModel: byKey(["lab/m1", "m2", "*/m*", "fast"], true),
      bySession: byKey(sessionTypes, false),
      byChannel: byKey(["work", "slack", "work/C1", "slack/C2"], false),
      bySender: byKey(["work:U1", "slack:U2"], false),
      sandbox: rules(false),
    },
    agents: random.chance(0.5) ? { main: { ...rules(true), byProvider: providers() } } : {},
  };
}

export function buildRandomSituation(random: Random): Situation {
  return {
    type: pickOne(random, sessionTypes),
    agentId: pickOne(random, ["main", "other"]),
    model: pickOne(random, ["lab/m1", "lab/m2", "openai/gpt-mini", "router/lab/m1"]),
    adapter: pickOne(random, ["work", "home"]),
    channelId: pickOne(random, ["C1", "C2"]),
    sender: pickOne(random, ["U1", "U2"]),
    isAdmin: random.chance(0.5),
    ...(random.chance(0.5) && { confined: "bwrap" }),
    ...(random.chance(0.2) && { missing: "no namespaces" }),
  };
}

/** Every place of the policy that has lists; they are the policy's own, so that a test may change them. */
export function listRules({ tools, agents }: RawPolicy): RawRules[] {
  const { byProvider = {}, byModel = {}, bySession = {}, byChannel = {}, bySender = {}, sandbox = {} } = tools;
  const own = Object.values(agents).flatMap((agent) => [agent, ...Object.values(agent.byProvider ?? {})]);
  const keyed = [byProvider, byModel, bySession, byChannel, bySender].flatMap((byKey) => Object.values(byKey));
  return [tools, sandbox, ...keyed, ...own];
}

export function pickOne<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[random.between(0, items.length - 1)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

export const pickEntry = (random: Random): string => pickOne(random, entries);

const pickSome = (random: Random, most: number) =>
  Array.from({ length: random.between(0, most) }, () => pickEntry(random));
