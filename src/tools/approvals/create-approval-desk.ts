/**
 * The desk where calls are let through: by policy, by a rule that was given for good, or by a person who says yes to exactly
 * this. Stands in the gate between tool policy and the tool; its rows outlive the process, so a question that was asked before
 * a restart is answered after it.
 */
import { newApprovalId } from "../../base/ids.ts";
import type { Approval, ApprovalSubject, Approvals, SuggestedRules } from "../../contracts/approval.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ApprovalId, TurnId } from "../../contracts/ids.ts";
import type { KeyValue } from "../../contracts/store.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import type { PassRequest, PassResult } from "../pass.ts";
import { createAllowList, suggestRules } from "./allow-list.ts";
import { type ApprovalPolicy, type Decision, decide, needsRules } from "./decide.ts";
import type { FindProgram } from "./find-program.ts";
import { type PostDeps, postQuestion } from "./post-question.ts";
import { buildSubject, hashSubject } from "./subject.ts";
import { createTaint, type Taint } from "./taint.ts";
import { createAnswerWait } from "./wait-for-answer.ts";

export interface ApprovalDeskDeps extends Omit<PostDeps, "clock"> {
  approvals: Approvals;
  kv: KeyValue;
  clock: Clock;
  /** Undefined for everything where programs are not this machine's own (docker): then no rule is made or matched. */
  findProgram: FindProgram;
  /** What the configuration says of these tools in this session: the tool, and the one that it is only the door to. */
  policyOf(scope: ToolScope, toolNames: readonly string[]): ApprovalPolicy;
}

/** A call with the one on whose behalf it is made. */
type DeskRequest = PassRequest & { scope: ToolScope };

export interface ApprovalDesk extends Taint, Pick<Approvals, "answer"> {
  /** Right before a call runs. Waits for a person where one must be asked. Throws like the tool, and when `signal` aborts. */
  pass(request: DeskRequest): Promise<PassResult>;
  /** The call will not be made any more: an open question about it is answered with no. `pass` does it when it is stopped. */
  withdraw(turnId: TurnId, toolCallId: string): Promise<void>;
  /** What would allow a command line for good, for whoever adds it to the allow-list. */
  suggestRules(command: string): Promise<SuggestedRules>;
  /** Asked after a crash: false when the call certainly waited at this desk. */
  mayHaveRun(turnId: TurnId, toolCallId: string): Promise<boolean>;
  /** Another process may have answered. */
  recheck(): void;
}

/** Who lets a question through that policy no longer asks. */
const byPolicy = "mom:policy";
/** Who says no where nobody waits for the answer any more. */
const byStop = "mom:stopped";

export function createApprovalDesk(deps: ApprovalDeskDeps): ApprovalDesk {
  const { approvals, clock, policyOf } = deps;
  const log = deps.log.with({ room: "approvals" });
  const allowList = createAllowList(deps);
  const taint = createTaint(deps);
  const waiting = createAnswerWait(deps);

  const findPolicy = ({ tool, params, scope }: DeskRequest): ApprovalPolicy => {
    const really = tool.actsAs?.(params);
    return policyOf(scope, [tool.name, ...(really === undefined ? [] : [really])]);
  };
  const judge = async (request: DeskRequest): Promise<Decision> => {
    const { tool, params, scope } = request;
    const isOutward = tool.isOutward?.(params) === true;
    const input = {
      tool,
      params,
      sessionType: scope.session.type,
      policy: findPolicy(request),
      taint: isOutward ? await taint.taintOf(scope.session, scope.isAdmin) : undefined,
    };
    const isListed =
      needsRules(input) && (await allowList.covers(scope.session.agentId, await buildSubject(tool, params)));
    return decide({ ...input, isListed });
  };

  const ask = async (request: DeskRequest, subject: ApprovalSubject, reason: string): Promise<Approval> => {
    const { call, scope } = request;
    const { sessionKey, agentId } = scope.session;
    const approval = await approvals.request({
      id: await newUnusedId(approvals),
      turnId: scope.turnId,
      toolCallId: call.id,
      sessionKey,
      agentId,
      channel: scope.channel,
      sender: `${scope.channel.adapter}:${scope.sender.id}`,
      subject,
      hash: hashSubject(subject),
      reason,
      rules: await allowList.suggest(subject),
      expiresAt: clock.now() + findPolicy(request).timeoutMs,
    });
    log.info("A call waits for an approval", { approval: approval.id, turn: scope.turnId, tool: subject.tool });
    return approval;
  };

  /** The answer that counts. A question that policy no longer asks is answered by it. */
  const settle = async (request: DeskRequest, approval: Approval, isAsked: boolean): Promise<Approval> => {
    if (approval.state !== "pending") return approval;
    if (!isAsked) await approvals.answer(approval.id, "once", byPolicy);
    else {
      await postQuestion({ ...deps, log }, approval, request.scope);
      request.onApproval(approval);
    }
    return waiting.wait(approval.id, request.signal);
  };

  const pass = async (request: DeskRequest): Promise<PassResult> => {
    const { call, tool, params, scope } = request;
    const decision = await judge(request);
    if (decision.type === "refuse") return toRefused(decision);
    const earlier = await approvals.find(scope.turnId, call.id);
    if (decision.type === "run" && !earlier) return { type: "pass" };
    const subject = await buildSubject(tool, params);
    // From an attempt at this turn that was cut off, or of a call that bears the id of another.
    if (earlier && earlier.hash !== hashSubject(subject)) return refusals.changed(earlier);
    // Nobody is asked for what is over.
    request.signal.throwIfAborted();
    const reason = decision.type === "ask" ? decision.reason : "";
    const asked = earlier ?? (await ask(request, subject, reason));
    const answered = await settle(request, asked, decision.type === "ask");
    if (answered.state !== "allowed") return refusals[answered.state](answered);
    // While a person was thinking, the config may have closed what it asked for, and the folder become another one.
    const now = await judge(request);
    if (now.type === "refuse") return toRefused(now);
    const hash = hashSubject(await buildSubject(tool, params));
    if (hash !== answered.hash) return refusals.changed(answered);
    return (await approvals.use(answered.id, hash)) ? { type: "pass" } : refusals.used(answered);
  };
  const answer: ApprovalDesk["answer"] = async (id, verdict, by) => {
    const result = await approvals.answer(id, verdict, by);
    if (result.type === "answered") log.info("An approval was answered", { approval: id, verdict, by });
    waiting.ring(id);
    return result;
  };
  const withdraw: ApprovalDesk["withdraw"] = async (turnId, toolCallId) => {
    const open = await approvals.find(turnId, toolCallId);
    if (open?.state === "pending") await answer(open.id, "deny", byStop);
  };

  return {
    ...taint,
    answer,
    withdraw,
    suggestRules: (command) => suggestRules(deps, command),
    async pass(request) {
      const { call, scope, signal } = request;
      try {
        return await pass(request);
      } catch (error) {
        if (signal.aborted && signal.reason !== "parked") await withdraw(scope.turnId, call.id);
        throw error;
      }
    },
    async mayHaveRun(turnId, toolCallId) {
      const approval = await approvals.find(turnId, toolCallId);
      return approval === undefined || approval.state === "used";
    },
    recheck: () => waiting.ring(),
  };
}

const toRefused = ({ text, code }: Extract<Decision, { type: "refuse" }>): PassResult => ({
  type: "refused",
  text,
  code,
});

type Refusal = (approval: Approval) => Extract<PassResult, { type: "refused" }>;

const buildRefusal =
  (code: string, toText: (id: ApprovalId) => string): Refusal =>
  ({ id }) => ({ type: "refused", text: `Not done: ${toText(id)}`, code });

const used = buildRefusal(
  "APPROVAL_USED",
  (id) => `approval ${id} has let this call through once, and counts once only.`,
);

/** By what has become of the question. Addressed to the model. */
const refusals: Record<Exclude<Approval["state"], "allowed"> | "changed", Refusal> = {
  denied: buildRefusal(
    "APPROVAL_DENIED",
    (id) => `an admin has said no (approval ${id}). Do not try the same in another way; say what you could not do.`,
  ),
  expired: buildRefusal(
    "APPROVAL_EXPIRED",
    (id) => `nobody has answered approval ${id} in time, which counts as no. Say what you could not do.`,
  ),
  changed: buildRefusal(
    "APPROVAL_CHANGED",
    (id) =>
      `this is not the call that approval ${id} is about: its command, folder or environment is another. Call again.`,
  ),
  used,
  pending: used,
};

async function newUnusedId(approvals: Pick<Approvals, "get">): Promise<ApprovalId> {
  for (;;) {
    const id = newApprovalId();
    if ((await approvals.get(id)) === undefined) return id;
  }
}
