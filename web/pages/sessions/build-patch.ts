/** The form of a session's settings, and what of it has changed. */
import type { Params, SessionSummary } from "../../../src/gateway/protocol/index.ts";

type Patch = Params<"sessions.patch">;

/** Empty: the default. */
export interface SessionForm {
  label: string;
  model: string;
  thinkingLevel: "" | NonNullable<SessionSummary["thinkingLevel"]>;
  queueMode: "" | NonNullable<SessionSummary["queueMode"]>;
  isQuiet: boolean;
}

export const toForm = (session: SessionSummary): SessionForm => ({
  label: session.label ?? "",
  model: session.chosenModel ?? "",
  thinkingLevel: session.thinkingLevel ?? "",
  queueMode: session.queueMode ?? "",
  isQuiet: session.isQuiet ?? false,
});

/** Undefined: nothing has changed. What was not touched is left out, so that two people can change two things at once. */
export function buildPatch(session: SessionSummary, form: SessionForm): Patch | undefined {
  const before = toForm(session);
  const label = form.label.trim();
  const model = form.model.trim();
  const patch: Patch = {
    sessionKey: session.sessionKey,
    ...(label !== before.label && { label: label === "" ? null : label }),
    ...(model !== before.model && { model: model === "" ? null : model }),
    ...(form.thinkingLevel !== before.thinkingLevel && {
      thinkingLevel: form.thinkingLevel === "" ? null : form.thinkingLevel,
    }),
    ...(form.queueMode !== before.queueMode && { queueMode: form.queueMode === "" ? null : form.queueMode }),
    ...(form.isQuiet !== before.isQuiet && { isQuiet: form.isQuiet }),
  };
  return Object.keys(patch).length > 1 ? patch : undefined;
}
