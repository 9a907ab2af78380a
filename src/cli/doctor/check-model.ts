/** The model that would answer: is there one, does it, and how do its keys stand? */
import type { MomConfig } from "../../app/index.ts";
import { errorText, MomError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ModelProvider } from "../../contracts/model.ts";
import { createModels } from "../../models/index.ts";
import { buildLayout, createAuthFile } from "../../store/index.ts";
import type { CliIo } from "../io.ts";
import { checkAgents } from "./check-agents.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const check = "model";
const offlineModel = "mom/offline";
const answerWithinMs = 30_000;

/** `isOffline`: the provider is not asked. */
export async function checkModel(
  { io, clock, log }: { io: CliIo; clock: Clock; log: Log },
  { dataDir, config, isOffline }: { dataDir: string; config: MomConfig; isOffline: boolean },
): Promise<Finding[]> {
  const auth = createAuthFile({ path: buildLayout(dataDir).authPath, clock, log });
  const models = createModels({ clock, log, env: io.env, auth, authOrder: config.auth.order }, config.models);
  try {
    return [
      ...(await checkKeys(models)),
      await checkAnswer(models, config, isOffline),
      ...(await checkAgents(models, dataDir, config)),
    ];
  } catch (error) {
    const hint = error instanceof MomError ? error.hint : undefined;
    return [fail("auth", errorText(error), hint ?? "Look into auth.json.")];
  } finally {
    await models.close();
  }
}

/** Says nothing where there are none: the model's own finding says what is missing. */
async function checkKeys(models: ModelProvider): Promise<Finding[]> {
  const profiles = (await models.status()).flatMap((provider) => provider.profiles);
  return profiles.map(({ id, state, reason, from, coolingModels }) => {
    // One that an order leaves out is left out on purpose.
    const isLeftOut = state === "disabled" && reason?.startsWith("not in the order");
    if (state === "ready" || isLeftOut) {
      const resting = coolingModels.map(({ model }) => model).join(", ");
      return ok("auth", `${id} (${from})${resting === "" ? "" : `, resting for ${resting}`}`);
    }
    const detail = `${id} (${from}) is ${state}${reason === undefined ? "" : `: ${reason}`}`;
    return warn("auth", detail, "`mom models status` says until when; `mom auth add` adds another key.");
  });
}

async function checkAnswer(models: ModelProvider, config: MomConfig, isOffline: boolean): Promise<Finding> {
  const resolved = await models.resolve(config.agents["main"]?.model);
  if (resolved.type === "unavailable") {
    return fail(
      check,
      resolved.message,
      "`mom models list` shows what can be used; choose with: mom config set models.default <model>",
    );
  }
  const { model } = resolved;
  if (model.ref === offlineModel)
    return ok(check, `${model.ref}, the built-in helper; set a key or models.default for a language model`);
  if (isOffline) return ok(check, `${model.ref}, not asked`);
  const answer = await models.check(model, AbortSignal.timeout(answerWithinMs));
  return answer.ok
    ? ok(check, answer.detail)
    : fail(
        check,
        `${model.ref}: ${answer.detail}`,
        "Check the key, the address and the network; `mom doctor --offline` leaves this out.",
      );
}
