/** One question about pictures to a model, on a tool's behalf: within the asker's budget, and booked to them. */
import type { Budgets } from "../contracts/budget.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ModelProvider } from "../contracts/model.ts";
import type { UsageLedger } from "../contracts/store.ts";
import type { ToolScope } from "../contracts/tool.ts";
import type { AskModel } from "../tools/index.ts";

interface AskModelDeps {
  models: ModelProvider;
  budgets: Budgets;
  usage: UsageLedger;
  clock: Clock;
  /** `tools.image.model`. */
  pictureModel(): string | undefined;
}

const maxOutputTokens = 2000;

export function createAskModel({ models, budgets, usage, clock, pictureModel }: AskModelDeps) {
  return (scope: ToolScope): AskModel =>
    async ({ system, text, images, signal }) => {
      const { sessionKey, agentId, sessionId } = scope.session;
      const sender = `${scope.channel.adapter}:${scope.sender.id}`;
      const verdict = await budgets.check({ agentId, sessionKey, sender });
      if (verdict.type === "refused") return { refused: "failed", model: scope.model, reason: verdict.message };
      const wanted = verdict.type === "cheaper" ? verdict.model : (pictureModel() ?? scope.model);
      const resolved = await models.resolve(wanted);
      if (resolved.type === "unavailable") return { refused: "failed", model: wanted, reason: resolved.message };
      const { model } = resolved;
      if (!model.input.includes("image")) return { refused: "no-images", model: model.ref };
      const stream = models.stream({
        model,
        system: system ?? "",
        messages: [
          {
            role: "user",
            content: [{ type: "text", text }, ...images.map((image) => ({ type: "image" as const, ...image }))],
            timestamp: clock.now(),
          },
        ],
        tools: [],
        signal,
        sessionId: `${sessionId}-pictures`,
        maxOutputTokens,
      });
      const { message, failure } = await stream.result();
      if (message.usage.totalTokens > 0) {
        await usage.record({ sessionKey, agentId, sender, model: model.ref, usage: message.usage });
      }
      if (failure) return { refused: "failed", model: model.ref, reason: failure.message };
      const answer = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
      return answer.trim() === ""
        ? { refused: "failed", model: model.ref, reason: "it gave an empty answer" }
        : { text: answer, model: model.ref };
    };
}
