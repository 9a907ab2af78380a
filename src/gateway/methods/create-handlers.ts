/**
 * Every method of the protocol with what it does: the groups, joined. A method without a handler does not
 * compile, but for those of rooms that a house may be without.
 */
import type { Handlers } from "../parts.ts";
import { buildAgentMethods } from "./agent-methods.ts";
import { buildApprovalMethods } from "./approval-methods.ts";
import { buildChannelMethods } from "./channel-methods.ts";
import { buildChatMethods } from "./chat-methods.ts";
import { buildConfigMethods } from "./config-methods.ts";
import { buildCronMethods } from "./cron-methods.ts";
import { buildDeviceMethods } from "./device-methods.ts";
import { buildFileMethods } from "./file-methods.ts";
import { buildHeartbeatMethods } from "./heartbeat-methods.ts";
import { buildMemoryMethods } from "./memory-methods.ts";
import type { MethodDeps } from "./method-deps.ts";
import { buildModelMethods } from "./model-methods.ts";
import { buildNodeMethods } from "./node-methods.ts";
import { buildOperatorMethods } from "./operator-methods.ts";
import { buildPairingMethods } from "./pairing-methods.ts";
import { buildSessionMethods } from "./session-methods.ts";
import { buildStatusMethods } from "./status-methods.ts";
import { buildSubagentMethods } from "./subagent-methods.ts";

export function createHandlers(deps: MethodDeps): Handlers {
  return {
    ...buildStatusMethods(deps),
    ...buildAgentMethods(deps),
    ...buildChatMethods(deps),
    ...buildFileMethods(deps),
    ...buildSessionMethods(deps),
    ...buildApprovalMethods(deps),
    ...buildPairingMethods(deps),
    ...buildDeviceMethods(deps),
    ...buildNodeMethods(deps),
    ...buildChannelMethods(deps),
    ...buildModelMethods(deps),
    ...buildConfigMethods(deps),
    ...buildOperatorMethods(deps),
    ...buildCronMethods(deps),
    ...buildHeartbeatMethods(deps),
    ...buildSubagentMethods(deps),
    ...buildMemoryMethods(deps),
  };
}
