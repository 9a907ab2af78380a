/** The media tools' slices of the configuration: `tools.image` and `tools.tts`. */
import { z } from "zod";

const endpoint = {
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Usually ends in /v1. Left out: OpenAI's, if there is a key."),
  apiKey: z.string().min(1).meta({ secret: true }).optional().describe("Left out: the endpoint needs none."),
};

export const imageConfig = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .optional()
      .describe("provider/model or alias that looks at pictures. Left out: the session's own model, if it can."),
    generate: z
      .strictObject({ ...endpoint, model: z.string().min(1).default("gpt-image-1") })
      .prefault({})
      .describe("Where pictures are made: an endpoint with OpenAI's images/generations. Set a key or an address."),
  })
  .prefault({})
  .describe("The image tool.");

export const ttsConfig = z
  .strictObject({
    provider: z
      .enum(["auto", "espeak", "openai"])
      .default("auto")
      .describe("auto: the endpoint if a key or an address is set, else espeak-ng on this machine."),
    ...endpoint,
    model: z.string().min(1).default("gpt-4o-mini-tts").describe("Of the endpoint."),
    voice: z
      .string()
      .min(1)
      .optional()
      .describe('Where the call names none: "alloy" … at OpenAI, a language like "de" or "en-us+f3" with espeak-ng.'),
    format: z
      .enum(["mp3", "opus", "aac", "flac", "wav"])
      .default("mp3")
      .describe("What the endpoint is asked for. espeak-ng makes wav."),
  })
  .prefault({})
  .describe("Speech: the tts tool. The endpoint is one with OpenAI's audio/speech.");

export type ImageConfig = z.infer<typeof imageConfig>;
export type TtsConfig = z.infer<typeof ttsConfig>;
