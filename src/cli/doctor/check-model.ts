/** The model that would answer: is there one, and does it? */
import type { MomConfig } from "../../app/index.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { createModels } from "../../models/index.ts";
import type { CliIo } from "../io.ts";
import { type Finding, fail, ok } from "./finding.ts";

const check = "model";
const offlineModel = "mom/offline";
const answerWithinMs = 30_000;

/** `isOffline`: the provider is not asked. */
export async function checkModel(
  { io, clock, log }: { io: CliIo; clock: Clock; log: Log },
  config: MomConfig["models"],
  isOffline: boolean,
): Promise<Finding> {
  const models = createModels({ clock, log, env: io.env }, config);
  const resolved = await models.resolve();
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
