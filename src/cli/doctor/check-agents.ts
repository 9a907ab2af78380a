/** Agents, routes and orders of keys: names in one part of the config that mean nothing in another. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { MomConfig } from "../../app/index.ts";
import type { ModelProvider } from "../../contracts/model.ts";
import { type Finding, fail, warn } from "./finding.ts";

const check = "agents";
const correct = "Correct it in config.json.";

export async function checkAgents(models: ModelProvider, dataDir: string, config: MomConfig): Promise<Finding[]> {
  return [
    ...(await checkModelNames(models, config)),
    ...(await checkFolders(dataDir, config)),
    ...checkReferences(config),
  ];
}

async function checkModelNames(models: ModelProvider, config: MomConfig): Promise<Finding[]> {
  const named: [place: string, ref: string][] = config.models.fallbacks.map((ref) => ["models.fallbacks", ref]);
  for (const [id, { model, fallbacks = [], budget }] of Object.entries(config.agents)) {
    if (model !== undefined) named.push([`agents.${id}.model`, model]);
    for (const ref of fallbacks) named.push([`agents.${id}.fallbacks`, ref]);
    for (const each of budget) if (each.model !== undefined) named.push([`agents.${id}.budget`, each.model]);
  }
  const resolved = await Promise.all(named.map(async ([place, ref]) => ({ place, found: await models.resolve(ref) })));
  return resolved.flatMap(({ place, found }) =>
    found.type === "unavailable" ? [fail(check, `${place}: ${found.message}`, correct)] : [],
  );
}

async function checkFolders(dataDir: string, { agents }: MomConfig): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [id, { workDir }] of Object.entries(agents)) {
    if (workDir === undefined) continue;
    const found = await stat(resolve(dataDir, workDir)).catch(() => undefined);
    if (!found?.isDirectory())
      findings.push(fail(check, `agents.${id}.workDir: there is no folder ${workDir}`, correct));
  }
  return findings;
}

/** Names that nothing bears: not wrong for sure, since an adapter may be added later. */
function checkReferences({ adapters, routes, queue, auth, agents }: MomConfig): Finding[] {
  const types = Object.values(adapters).map(({ type }) => String(type));
  const isAdapter = (name: string) => Object.hasOwn(adapters, name);
  const lost = [
    ...routes.flatMap(({ adapter }) =>
      adapter === undefined || isAdapter(adapter) ? [] : [`routes: there is no adapter "${adapter}"`],
    ),
    ...Object.keys(queue.byChannel).flatMap((name) =>
      isAdapter(name) || types.includes(name) ? [] : [`queue.byChannel: there is no adapter or type "${name}"`],
    ),
    ...Object.entries(auth.order).flatMap(([provider, ids]) =>
      ids.flatMap((id) =>
        id.startsWith(`${provider}:`) ? [] : [`auth.order.${provider}: "${id}" is no profile of ${provider}`],
      ),
    ),
    ...Object.keys(agents).flatMap((id) =>
      id !== "main" && id.toLowerCase() === "main" ? [`agents: "${id}" is not "main", which is written small`] : [],
    ),
  ];
  return lost.map((detail) => warn(check, detail, correct));
}
