/** The slice `hooks` of the configuration: requests that come in, and scripts that are told. Imported at every start: nothing heavy. */
import { isAbsolute } from "node:path";
import { z } from "zod";

const secret = (least: number) =>
  z.string().min(least, `a secret has at least ${least} characters`).max(1024).meta({ secret: true });

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, "write a header's name, like X-Hub-Signature-256")
  .toLowerCase();

export const hookEventTypes = [
  "message:received",
  "message:sent",
  "session:start",
  "session:end",
  "tool:before",
  "tool:after",
  "compaction",
] as const;

const mapping = z
  .strictObject({
    action: z
      .enum(["wake", "agent"])
      .default("wake")
      .describe(
        "wake: said to mom in the owner's chat. agent: a turn in a session of its own, whose answer is posted.",
      ),
    text: z
      .string()
      .min(1)
      .max(8000)
      .describe(
        "What mom is told. {{a.b.0.c}} is put in from the JSON that came, {{headers.x-github-event}} from a header.",
      ),
    mode: z
      .enum(["now", "next-heartbeat"])
      .default("now")
      .describe("Of wake: at once, or read with whatever is said or done there next."),
    agentId: z.string().min(1).max(64).default("main").describe("Which agent."),
    deliver: z
      .boolean()
      .default(true)
      .describe("Of agent: the answer is posted; off: the owner's session only hears of it."),
    chat: z
      .string()
      .regex(/^[^/]+\/.+$/, "write it like slack/C1")
      .max(300)
      .exactOptional()
      .describe("Of agent: where the answer is posted, as <adapter>/<chat>. Absent: where the owner last spoke."),
    model: z.string().min(1).max(200).exactOptional().describe("Of agent: another model for this."),
    thinking: z.enum(["off", "low", "medium", "high"]).exactOptional().describe("Of agent: how much it thinks."),
    timeoutSeconds: z.int().min(1).max(3600).exactOptional().describe("Of agent: a longer turn is ended."),
    signature: z
      .enum(["token", "hmac-sha256", "hmac-sha256-timestamp"])
      .default("token")
      .describe(
        "How the sender proves itself. token: secret as bearer or X-Mom-Token. hmac-sha256: of the body, in hex or base64, as GitHub does. hmac-sha256-timestamp: t=…,v1=… of time and body, as Stripe does.",
      ),
    secret: secret(8)
      .exactOptional()
      .describe("Shared with the sender. Absent: with signature token hooks.token counts, else the hook is closed."),
    header: headerName
      .exactOptional()
      .describe("The header that has the signature. Absent: X-Hub-Signature-256, with a timestamp Stripe-Signature."),
    idHeader: headerName
      .exactOptional()
      .describe(
        "The header that names a delivery; the same one counts once. Absent: X-GitHub-Delivery or Idempotency-Key.",
      ),
  })
  .describe("One hook: who may call it, and what mom is told.");

const script = z
  .strictObject({
    on: z.array(z.enum(hookEventTypes)).min(1).describe("What the script is told of."),
    run: z
      .array(z.string().max(4096))
      .min(1)
      .max(50)
      .refine(([program = ""]) => isAbsolute(program), "the program is an absolute path")
      .describe("The program, absolute, and its arguments. It gets the event as JSON on standard input."),
    timeoutSeconds: z.int().min(1).max(300).default(10).describe("A script that takes longer is ended."),
    required: z
      .boolean()
      .default(false)
      .describe(
        "Of tool:before: a script that fails or takes too long refuses the tool, instead of being passed over.",
      ),
  })
  .describe("A program of the operator's, outside of every folder that agents can write.");

export const hooksConfig = z
  .strictObject({
    token: secret(16)
      .exactOptional()
      .describe(
        "Opens /hooks/wake and /hooks/agent to whoever sends it as bearer or X-Mom-Token. Absent: both are closed.",
      ),
    maxPerMinute: z.int().min(1).max(6000).default(60).describe("Requests that each hook takes in a minute."),
    mappings: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/, "a name has letters, digits, dots, dashes and underscores only")
          .refine((name) => name !== "wake" && name !== "agent", "wake and agent are there already"),
        mapping,
      )
      .default({})
      .describe("Further hooks by name, each at /hooks/<name>."),
    scripts: z.array(script).max(50).default([]).describe("Scripts that are told what happens."),
  })
  .describe("Requests from outside (POST /hooks/…) and scripts that are told what happens.");

export type HooksConfig = z.output<typeof hooksConfig>;
export type HookMapping = HooksConfig["mappings"][string];
export type HookScript = HooksConfig["scripts"][number];
