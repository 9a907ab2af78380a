/** Subagents: give one a task, see what they do, end one. */

import type { SessionKey } from "../../contracts/ids.ts";
import { mayCall } from "../protocol/index.ts";
import { toSubagent } from "./automation-summary.ts";
import { findSession } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { notFound } from "./refusals.ts";
import { deriveId } from "./say-as.ts";

type Names = "sessions.spawn" | "subagents.list" | "subagents.stop";

const usualRuns = 100;

export function buildSubagentMethods({ house }: MethodDeps): Partial<Group<Names>> {
  const { subagents } = house;
  if (!subagents) return {};
  const methods: Group<Names> = {
    async "sessions.spawn"({ sessionKey, idempotencyKey, ...task }, { identity }) {
      const { key } = await findSession(house, sessionKey);
      const by = { sessionKey: key, deviceName: identity.name, isAdmin: mayCall(identity, "admin") };
      const callId = `gateway-${deriveId(identity, "sessions.spawn", idempotencyKey)}`;
      const run = await subagents.spawn(by, { ...task, callId });
      if (!run) throw notFound(`session ${key}`);
      return toSubagent(run);
    },
    async "subagents.list"({ requester, limit = usualRuns }) {
      const runs = await subagents.list(requester as SessionKey | undefined);
      return { runs: runs.slice(0, limit).map(toSubagent) };
    },
    async "subagents.stop"({ runId }) {
      if (!(await subagents.get(runId))) throw notFound(`subagent ${runId}`);
      return { stopped: await subagents.stop(runId) };
    },
  };
  return methods;
}
