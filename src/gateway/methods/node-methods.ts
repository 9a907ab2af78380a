/** Commands that devices offer: asked for by an operator, run by the node, answered with `node.result`. */
import { randomUUID } from "node:crypto";
import type { Params, Result } from "../protocol/index.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid, notFound, unavailable } from "./refusals.ts";

type Names = "nodes.list" | "nodes.invoke" | "node.result";

interface Invocation {
  deviceId: string;
  settle(answer: Params<"node.result">): void;
  fail(reason: string): void;
}

const usualTimeoutMs = 30_000;
const mostPending = 1000;
const retryMs = 2000;

export function buildNodeMethods({ devices, connections, clock }: MethodDeps): Group<Names> {
  const pending = new Map<string, Invocation>();
  connections.onNodeGone((deviceId) => {
    for (const each of pending.values()) if (each.deviceId === deviceId) each.fail("The node has gone");
  });

  /** Whoever asked may be gone by then: another connection with the same key waits for the same answer. */
  const invoke = (deviceId: string, command: string, args: Record<string, unknown>, timeoutMs: number) => {
    const invokeId = randomUUID();
    const answer = Promise.withResolvers<Result<"nodes.invoke">>();
    const fail = (reason: string) => answer.reject(unavailable(`${reason}; ${command} may have run`));
    const settle = ({ result = null, error }: Params<"node.result">) =>
      error === undefined ? answer.resolve({ result }) : answer.reject(unavailable(`The node could not: ${error}`));
    const cancel = clock.after(timeoutMs, () => fail(`No answer within ${timeoutMs} ms`));
    pending.set(invokeId, { deviceId, settle, fail });
    const isTold = connections.tellNode(deviceId, { invokeId, command, args, expiresAt: clock.now() + timeoutMs });
    if (!isTold) answer.reject(notConnected(deviceId));
    return answer.promise.finally(() => {
      cancel();
      pending.delete(invokeId);
    });
  };

  return {
    async "nodes.list"() {
      const offered = connections.nodes();
      const nodes = (await devices.list()).filter(({ role }) => role === "node");
      return {
        nodes: nodes.map(({ deviceId, name, platform, isConnected }) => ({
          deviceId,
          name,
          platform,
          isConnected,
          commands: [...(offered.get(deviceId) ?? [])],
        })),
      };
    },
    async "nodes.invoke"({ deviceId, command, args = {}, timeoutMs = usualTimeoutMs }) {
      const isKnown = (await devices.list()).some((each) => each.deviceId === deviceId && each.role === "node");
      if (!isKnown) throw notFound(`node ${deviceId}`);
      const commands = connections.nodes().get(deviceId);
      if (!commands) throw notConnected(deviceId);
      if (!commands.includes(command)) throw invalid(`The node does not offer ${command}`, { commands: [...commands] });
      if (pending.size >= mostPending) throw unavailable("Too many commands of nodes are under way", retryMs);
      return invoke(deviceId, command, args, timeoutMs);
    },
    async "node.result"(answer, { identity }) {
      const invocation = pending.get(answer.invokeId);
      // Another node's is none of its business, not even that there is one.
      if (invocation?.deviceId !== identity.id) throw notFound(`call ${answer.invokeId} that waits`);
      invocation.settle(answer);
      return { ok: true };
    },
  };
}

const notConnected = (deviceId: string) => unavailable(`The node ${deviceId} is not connected`, retryMs);
