/** `invoke_tool`: the model's one door to the custom tools of the host. */
import { type Static, Type } from "typebox";
import { errorText, MomError, ToolError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Tool } from "../../contracts/tool.ts";
import { validateArguments } from "../validate-arguments.ts";
import type { HostTools } from "./host-tools.ts";
import { inTime } from "./in-time.ts";
import type { MomCustomTool } from "./sdk.ts";
import { toBoundedText, toResult } from "./to-result.ts";

const parameters = Type.Object(
  {
    tool: Type.String({ minLength: 1, maxLength: 64 }),
    args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

export interface InvokeToolDeps {
  hostTools: HostTools;
  clock: Clock;
  timeoutMs: number;
}

interface Call {
  id: string;
  args: NonNullable<Static<typeof parameters>["args"]>;
  signal: AbortSignal;
}

export function createInvokeTool({ hostTools, clock, timeoutMs }: InvokeToolDeps): Tool<typeof parameters> {
  const find = (name: unknown) => hostTools.list().find((tool) => tool.name === name);

  const callInTime = async (tool: MomCustomTool, { id, args, signal }: Call): Promise<unknown> => {
    const limit = new AbortController();
    const work = async () => tool.execute(id, args as never, AbortSignal.any([signal, limit.signal]));
    const tooLate = () => {
      const late = new ToolError("HOST_TOOL_TIMED_OUT", `"${tool.name}" did not end within ${timeoutMs / 1000} s`, {
        hint: "It may still be at work. The operator can give it more time with tools.host.timeoutSeconds.",
      });
      // After the answer is settled: whatever the tool says to its end comes too late.
      queueMicrotask(() => limit.abort(late));
      return late;
    };
    return inTime(clock, timeoutMs, untilAborted(work(), signal), tooLate);
  };

  return {
    name: "invoke_tool",
    label: "Custom tool",
    description: "Call one of the custom tools of this host by name.",
    parameters,
    // Of a tool that is not there, or does not say: "may have run" is the safe word.
    effect: "external",
    effectOf: ({ tool }) => find(tool)?.effect,
    describe: ({ tool }) => `${tool}`,
    actsAs: ({ tool }) => tool,
    isOutward: ({ tool }) => find(tool)?.outward === true,
    needsApproval: ({ tool }) => find(tool)?.approve === true,
    mayBring({ tool: name }) {
      const tool = find(name);
      return tool && findSource(tool);
    },
    async execute(id, { tool: name, args = {} }, signal) {
      if (!find(name)) throw buildUnknown(name, hostTools);
      let source: string | undefined;
      const given = await hostTools.run(name, async (tool) => {
        source = findSource(tool);
        const checked = validateArguments(tool.parameters, args);
        if (checked.type === "invalid") {
          const problems = checked.problems.map((problem) => `- ${problem}`).join("\n");
          throw new ToolError("HOST_TOOL_ARGUMENTS", `The args of "${name}" do not fit:\n${problems}`);
        }
        const call = { id, args: checked.params as Call["args"], signal };
        return callInTime(tool, call).catch((error: unknown) => {
          throw error instanceof MomError ? error : buildFailed(name, error, source);
        });
      });
      return toResult(given, source);
    },
  };
}

/** Where the text of a tool comes from; undefined: it is the house's own. */
const findSource = ({ name, outside = true }: MomCustomTool) => (outside ? `custom tool ${name}` : undefined);

/** What it says of its failure may be a stranger's words as well. */
const buildFailed = (name: string, error: unknown, source: string | undefined) =>
  new ToolError("HOST_TOOL_FAILED", `"${name}" failed: ${toBoundedText(errorText(error), source)}`, { cause: error });

function buildUnknown(name: string, hostTools: HostTools): ToolError {
  const names = hostTools.list().map((tool) => tool.name);
  const nearest = pickNearest(name, names);
  const guess = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return new ToolError("HOST_TOOL_UNKNOWN", `There is no custom tool "${name}".${guess}`, {
    hint: `There is: ${names.join(", ") || "none"}.`,
  });
}

/** A tool that does not heed its signal is left behind. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = () => stopped.reject(new ToolError("ABORTED", "The custom tool was stopped"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([work, stopped.promise]).finally(() => signal.removeEventListener("abort", onAbort));
}
