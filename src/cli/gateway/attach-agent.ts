/** `mom agent` beside a running mom: one turn of hers, started through the gateway and waited for. */
import { randomUUID } from "node:crypto";
import { UsageError } from "../../base/errors.ts";
import { neutralise } from "../../channels/index.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { GatewayClient } from "../../gateway/client/index.ts";
import { type EventFrame, GatewayFault, type Payload, type Result } from "../../gateway/protocol/index.ts";
import type { CliIo } from "../io.ts";
import { askOutcome } from "./ask-outcome.ts";
import type { FoundGateway } from "./find-gateway.ts";
import { formatQuestion } from "./format-talk.ts";
import { openClient, toError } from "./open-client.ts";
import { findPostedFile, type PostedFile } from "./posted-file.ts";
import { upload } from "./upload.ts";
import { watchSignals } from "./watch-signals.ts";

interface Attachment {
  io: CliIo;
  clock: Clock;
  dataDir: string;
  gateway: FoundGateway;
}

interface Letter {
  text: string;
  /** Absolute paths. */
  files: readonly string[];
  /** Absent: the owner's own. */
  session?: string;
}

export interface AttachedOutcome extends Omit<Result<"agent.wait">, "files"> {
  files: PostedFile[];
  /** A signal ended the wait; the turn was stopped. */
  isInterrupted: boolean;
}

/** Resolves when the turn is over. Rejects with a coded error. */
export async function attachAgent(
  { io, clock, dataDir, gateway }: Attachment,
  letter: Letter,
): Promise<AttachedOutcome> {
  if (letter.session !== undefined && letter.files.length > 0) throw buildNoFiles();
  let turnId: string | undefined;
  const onEvent = (frame: EventFrame) => {
    if (frame.event !== "approval.requested") return;
    const { approval } = frame.payload as Payload<"approval.requested">;
    // Standard output is for the answer alone.
    if (approval.turnId === turnId) io.stderr.write(`${neutralise(formatQuestion(approval))}\n`);
  };
  const { client, opened } = openClient({ dataDir, clock }, { onEvent });
  const signals = watchSignals({ io, clock });
  try {
    const { hello } = await opened();
    const accepted = await send(client, gateway, hello.snapshot.mainSessionKey, letter);
    turnId = accepted.turnId;
    let isInterrupted = false;
    void signals.first.then(async () => {
      isInterrupted = true;
      await client.call("chat.abort", { sessionKey: accepted.sessionKey }).catch(() => io.exit(1));
    });
    const outcome = await askOutcome({ client, clock }, turnId);
    const files = await Promise.all(outcome.files.map((file) => findFile({ dataDir, clock }, file)));
    return { ...outcome, files, isInterrupted };
  } catch (error) {
    throw error instanceof GatewayFault ? toError(error) : error;
  } finally {
    signals.stop();
    client.stop();
  }
}

async function send(
  client: GatewayClient,
  { url }: FoundGateway,
  sessionKey: string,
  { text, files, session }: Letter,
): Promise<Result<"chat.send">> {
  const idempotencyKey = randomUUID();
  if (files.length === 0)
    return client.call("agent", { message: text, idempotencyKey, ...(session !== undefined && { name: session }) });
  const uploads: string[] = [];
  for (const path of files) uploads.push(await upload({ client, baseUrl: url }, { path, sessionKey }));
  return client.call("chat.send", { sessionKey, uploads, idempotencyKey, ...(text !== "" && { message: text }) });
}

async function findFile(
  place: { dataDir: string; clock: Clock },
  { filename, deliveryId }: { filename: string; deliveryId: string },
): Promise<PostedFile> {
  return (await findPostedFile(place, deliveryId)) ?? { filename, path: "" };
}

const buildNoFiles = () =>
  new UsageError("ATTACH_NEEDS_OWN_SESSION", "Beside a running mom, files go to the owner's own session only.", {
    hint: "Leave out --session or --attach.",
  });
