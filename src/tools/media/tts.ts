/** `tts`: text spoken into a sound file, by espeak-ng on this machine or by an endpoint; sent to the chat if wanted. */
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import { deliveryIdOf } from "../../base/ids.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Outbox } from "../../contracts/store.ts";
import type { Tool } from "../../contracts/tool.ts";
import { type ChatDirectory, findAdapter } from "../kit/chat-directory.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { listOwnRecipients, type PostScope, postFile } from "../kit/post-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";
import type { TtsConfig } from "./config.ts";
import { type Endpoint, hostOf, pickEndpoint, postJson } from "./endpoint.ts";
import { speakWithEspeak } from "./espeak.ts";
import { type Scratch, saveInScratch } from "./media-file.ts";

const timeoutMs = 120_000;
const maxBytes = 30 * 1024 * 1024;
const defaultVoice = "alloy";

const parameters = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 4000 }),
    voice: Type.Optional(
      // Never an option, never a path: espeak-ng loads voices from files.
      Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_+-]{0,63}$" }),
    ),
    to: Type.Optional(Type.String({ description: "Output file" })),
    send: Type.Optional(Type.Boolean({ description: "Also send it to this chat" })),
  },
  { additionalProperties: false },
);

interface TtsDetails {
  path: string;
  bytes: number;
  /** What spoke: `espeak-ng`, or the endpoint's host and model. */
  by: string;
  durationMs?: number;
}

export interface TtsOptions extends Scratch {
  config: TtsConfig;
  outbox: Pick<Outbox, "post">;
  scope: PostScope;
  directory: ChatDirectory;
}

interface Speech {
  bytes: Uint8Array;
  extension: string;
  by: string;
  durationMs?: number;
}

export function createTtsTool(operations: Operations, options: TtsOptions): Tool<typeof parameters, TtsDetails> {
  const { scope, outbox, directory } = options;
  return {
    name: "tts",
    label: "Speech",
    description: "Speak a text into a sound file. Without a voice the default one speaks.",
    parameters,
    effect: "external",
    describe: ({ text }) => `tts ${shortenLine(text.replaceAll("\n", " "), 80)}`,
    locks: async ({ to }) => (to === undefined ? [] : [await operations.resolve(to)]),
    recipients: ({ send }) => (send === true ? listOwnRecipients(scope) : []),
    async execute(toolCallId, { text, voice, to, send }, signal) {
      if (text.trim() === "") throw new ToolError("TTS_FAILED", "There is nothing to speak in the text");
      // Before anything is spoken and paid for.
      const maxUploadBytes = findAdapter(directory, scope.channel)?.capabilities.maxUploadBytes ?? 0;
      if (send === true && maxUploadBytes === 0) {
        throw new ToolError("CHAT_CANNOT", "This chat takes no files", { hint: "Leave out send, or write instead." });
      }
      const speech = await speak(operations, options, { text, voice }, signal);
      const { bytes, extension, by, durationMs } = speech;
      const path = to ?? (await saveInScratch(operations, options, { stem: "speech", extension, bytes }));
      if (to !== undefined) await operations.writeFile(to, bytes);
      const { turnId, channel } = scope;
      const id = deliveryIdOf(`${turnId}.${toolCallId}`, 0);
      if (send === true) await postFile(operations, outbox, { id, turnId, channel, path, maxUploadBytes });
      const length = durationMs === undefined ? "" : `, ${(durationMs / 1000).toFixed(1)} s`;
      const sent = send === true ? " It is on its way to the chat." : "";
      return buildTextResult(`Saved ${path} (${formatBytes(bytes.length)}${length}, by ${by}).${sent}`, {
        path,
        bytes: bytes.length,
        by,
        ...(durationMs === undefined ? {} : { durationMs }),
      });
    },
  };
}

async function speak(
  operations: Operations,
  options: TtsOptions,
  { text, voice = options.config.voice }: { text: string; voice?: string | undefined },
  signal: AbortSignal,
): Promise<Speech> {
  const { config } = options;
  const endpoint = config.provider === "espeak" ? undefined : pickEndpoint(config, "tools.tts");
  if (endpoint !== undefined) return speakAtEndpoint(options, endpoint, { text, voice }, signal);
  if (config.provider !== "openai") {
    const spoken = await speakWithEspeak(operations, { text, voice }, signal);
    if (spoken.type === "spoken") {
      return { bytes: spoken.bytes, durationMs: spoken.durationMs, extension: "wav", by: "espeak-ng" };
    }
  }
  throw new ToolError("TTS_NOT_SET_UP", "There is nothing here that can speak", {
    hint: "The operator can install espeak-ng (apt install espeak-ng) where programs run, or set tools.tts.apiKey for OpenAI's voices, or tools.tts.baseUrl for another endpoint with audio/speech.",
  });
}

async function speakAtEndpoint(
  { config, clock }: TtsOptions,
  endpoint: Endpoint,
  { text, voice = defaultVoice }: { text: string; voice?: string | undefined },
  signal: AbortSignal,
): Promise<Speech> {
  const { model, format } = config;
  const body = { model, input: text, voice, response_format: format };
  const { bytes, contentType } = await postJson(endpoint, "/audio/speech", body, {
    maxBytes,
    timeoutMs,
    signal,
    clock,
  });
  const isSound = contentType.startsWith("audio/") || contentType === "application/octet-stream" || contentType === "";
  if (!isSound || bytes.length === 0) {
    throw new ToolError("MEDIA_ANSWER_INVALID", `${hostOf(endpoint)} gave an answer that is no sound`, {
      hint: "The operator must check that tools.tts.baseUrl is what it should be.",
    });
  }
  // Opus comes in an Ogg file, which chats take for a voice message.
  return { bytes, extension: format === "opus" ? "ogg" : format, by: `${hostOf(endpoint)} (${model})` };
}
