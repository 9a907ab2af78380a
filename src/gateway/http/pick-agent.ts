/** The models that this API offers are mom's agents: `mom` is the main one, `mom/<id>` each by its name. */
import type { AgentFacts, GatewayHouse } from "../../contracts/gateway.ts";
import { OpenAiFault } from "./openai-error.ts";

type AgentHouse = Pick<GatewayHouse, "agents" | "mainSessionKey">;

const mainModel = "mom";

export async function listModels(house: AgentHouse): Promise<string[]> {
  const agents = await house.agents();
  return [mainModel, ...agents.map(({ id }) => `${mainModel}/${id}`)];
}

/** The agent's id. */
export async function pickAgent(house: AgentHouse, model: string): Promise<string> {
  const agents = await house.agents();
  const agent = model === mainModel ? pickMain(house, agents) : agents.find(({ id }) => model === `${mainModel}/${id}`);
  if (agent) return agent.id;
  throw new OpenAiFault({
    status: 404,
    message: `The model "${model.slice(0, 100)}" does not exist here. Use "mom", or "mom/<agent>"; /v1/models lists them.`,
    param: "model",
    code: "model_not_found",
  });
}

function pickMain(house: AgentHouse, agents: readonly AgentFacts[]): AgentFacts | undefined {
  const mainKey = house.mainSessionKey();
  return agents.find(({ mainSessionKey }) => mainSessionKey === mainKey) ?? agents[0];
}
