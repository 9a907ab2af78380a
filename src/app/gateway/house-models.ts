/** Keys, skills, tools and what a first start needs, as the gateway shows them. */
import { stat } from "node:fs/promises";
import type { AuthData, AuthStore } from "../../contracts/auth.ts";
import type { GatewayHouse, SkillRow } from "../../contracts/gateway.ts";
import type { ModelProvider } from "../../contracts/model.ts";
import type { KeyValue } from "../../contracts/store.ts";
import type { Skill, Workspace } from "../../contracts/workspace.ts";
import type { MomConfig } from "../config-schema.ts";
import { type ExplainParts, explainTools } from "../explain-tools.ts";

interface HouseModelParts {
  models: ModelProvider;
  auth: AuthStore;
  kv: KeyValue;
  config(): MomConfig;
  workspaceOf(agentId: string): Workspace;
  mainAgentId: string;
  explain: Omit<ExplainParts, "config">;
  learnSecrets(secrets: readonly string[]): void;
}

type HouseModels = Pick<GatewayHouse, "models" | "addKey" | "skills" | "tools" | "isSetUp" | "setup" | "finishSetup">;

/** The planner that answers where there is no model. */
const offlineRef = "mom/offline";
/** Adapters that are no login to a chat platform. */
const ownTypes: ReadonlySet<string> = new Set(["cli", "webchat"]);
const setupScope = "gateway-setup";

export function buildHouseModels(parts: HouseModelParts): HouseModels {
  const { models, kv, config } = parts;
  const countPlatforms = () => Object.values(config().adapters).filter(({ type }) => !ownTypes.has(type)).length;
  const isSetUp = async () => countPlatforms() > 0 || (await kv.get(setupScope, "done")) === true;
  return {
    models,
    addKey: (provider, key) => addKey(parts, provider, key),
    async skills(agentId) {
      const { skills } = await parts.workspaceOf(agentId).skills();
      return Promise.all(skills.map(toSkillRow));
    },
    async tools(session) {
      const question = session
        ? { type: session.type, agentId: session.agentId, channel: session.lastChannel, model: session.chosenModel }
        : { type: "main" as const, agentId: parts.mainAgentId };
      const { model, tools, warnings } = await explainTools({ ...parts.explain, config: config() }, question);
      return {
        ...(model !== undefined && { model }),
        tools: tools.map(({ name, group, allowed, removedBy }) => ({
          name,
          group,
          allowed,
          ...(removedBy && { removedBy }),
        })),
        warnings,
      };
    },
    isSetUp,
    async setup() {
      const [resolved, providers, isDone] = await Promise.all([models.resolve(), models.status(), isSetUp()]);
      const active = resolved.type === "model" ? resolved.model.ref : resolved.message;
      return {
        model: { active, isOffline: active === offlineRef },
        foundKeys: providers.flatMap(({ name, profiles }) =>
          profiles.filter(({ from }) => from !== "auth.json").map(({ from }) => ({ provider: name, from })),
        ),
        hasOllama: providers.some(({ name, usable }) => name === "ollama" && usable),
        channels: countPlatforms(),
        isDone,
      };
    },
    finishSetup: () => kv.set(setupScope, "done", true),
  };
}

async function addKey(
  { models, auth, learnSecrets }: HouseModelParts,
  provider: string,
  typed: string,
): ReturnType<GatewayHouse["addKey"]> {
  const key = typed.trim();
  const names = (await models.status()).map(({ name }) => name).filter((name) => name !== "mom");
  if (!names.includes(provider)) {
    return {
      type: "refused",
      reason: `There is no provider "${provider}" that takes a key; known are ${names.join(", ")}.`,
    };
  }
  if (/\s/.test(key)) return { type: "refused", reason: "A key has no spaces in it." };
  learnSecrets([key]);
  let profile = "";
  await auth.update((data) => {
    profile = pickFreeId(data, provider);
    data.profiles[profile] = { type: "api_key", provider, key };
    delete data.usageStats[profile];
  });
  return { type: "added", profile };
}

function pickFreeId(data: AuthData, provider: string): string {
  for (let n = 1; ; n++) {
    const id = n === 1 ? `${provider}:default` : `${provider}:key-${n}`;
    if (data.profiles[id] === undefined) return id;
  }
}

async function toSkillRow({ name, description, source, path, missing, warnings }: Skill): Promise<SkillRow> {
  const bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  const lacks = missing.map(({ what, install }) => (install === undefined ? what : `${what} (${install})`)).join(", ");
  return { name, description, source, path, warnings, bytes, ...(lacks !== "" && { unusable: `it needs ${lacks}` }) };
}
