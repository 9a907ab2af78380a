/** What answers and with what: models and keys, skills, tools. */
import type { GatewayHouse } from "../../contracts/gateway.ts";
import { ensureAgent, findSession } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid } from "./refusals.ts";
import { toModelSummary, toProviderSummary } from "./to-summary.ts";

type Names = "models.list" | "models.add-key" | "skills.status" | "tools.list";

export function buildModelMethods({ house }: MethodDeps): Group<Names> {
  const { models } = house;
  return {
    async "models.list"() {
      const [known, providers] = [await models.list(), await models.status()];
      return {
        models: known.map(toModelSummary),
        providers: providers.map(toProviderSummary),
        ...(await findActive(models)),
        aliases: { ...models.aliases() },
      };
    },
    async "models.add-key"({ provider, key }) {
      const added = await house.addKey(provider, key);
      if (added.type === "refused") throw invalid(added.reason);
      return { profile: added.profile, active: (await findActive(models)).active };
    },
    async "skills.status"({ agentId }) {
      const { id } = await ensureAgent(house, agentId);
      const skills = await house.skills(id);
      return {
        skills: skills.map(({ name, description, source, path, unusable, warnings, bytes }) => ({
          name,
          description,
          source,
          path,
          ...(unusable !== undefined && { unusable }),
          warnings,
          bytes,
        })),
      };
    },
    async "tools.list"({ sessionKey }) {
      const { key, session } = await findSession(house, sessionKey);
      const { model, tools, warnings } = await house.tools(session);
      return {
        sessionKey: key,
        ...(model !== undefined && { model }),
        tools: tools.map(({ name, group, allowed, removedBy }) => ({
          name,
          group,
          allowed,
          ...(removedBy && { removedBy: { layer: removedBy.layer, rule: removedBy.rule } }),
        })),
        warnings,
      };
    },
  };
}

async function findActive(models: GatewayHouse["models"]): Promise<{ active: string; isOffline: boolean }> {
  const resolved = await models.resolve();
  if (resolved.type === "unavailable") return { active: resolved.message, isOffline: false };
  return { active: resolved.model.ref, isOffline: resolved.model.isPlanner === true };
}
