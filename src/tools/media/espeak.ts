/** Speech by espeak-ng, in the sandbox that every program runs in: text by standard input, sound by standard output. */
import { ToolError } from "../../base/errors.ts";
import type { ExecResult, Operations } from "../../contracts/sandbox.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { shortenLine } from "../kit/truncate.ts";
import { finishWav, type Wav } from "./wav.ts";

const program = "espeak-ng";
const timeoutMs = 60_000;
const maxBytes = 64 * 1024 * 1024;
const maxMessageBytes = 4096;

export type EspeakResult = ({ type: "spoken" } & Wav) | { type: "missing" };

export async function speakWithEspeak(
  operations: Operations,
  { text, voice }: { text: string; voice?: string | undefined },
  signal: AbortSignal,
): Promise<EspeakResult> {
  const sound: Uint8Array[] = [];
  let soundBytes = 0;
  const tooBig = new AbortController();
  const running = operations.exec({
    command: { argv: [program, "--stdin", "--stdout", "-b", "1", ...(voice === undefined ? [] : ["-v", voice])] },
    input: text,
    timeoutMs,
    signal: AbortSignal.any([signal, tooBig.signal]),
    maxOutputBytes: maxMessageBytes,
    onOutput(chunk, stream) {
      if (stream !== "stdout") return;
      soundBytes += chunk.length;
      if (soundBytes > maxBytes) tooBig.abort();
      else sound.push(Uint8Array.from(chunk));
    },
  });
  const result = await running.catch((error: unknown) => {
    if (error instanceof ToolError && error.code === "EXEC_FAILED") return undefined;
    throw error;
  });
  if (result === undefined || (soundBytes === 0 && isMissing(result))) return { type: "missing" };
  if (soundBytes > maxBytes) throw failed(`it made more than ${formatBytes(maxBytes)}`);
  return { type: "spoken", ...toWav(result, Buffer.concat(sound), voice) };
}

/** Executors that start programs through another one learn it only from that one's words. */
const isMissing = ({ exitCode, stderr }: ExecResult) =>
  exitCode === 127 || (exitCode !== 0 && /espeak-ng.*(?:No such file|not found)/i.test(stderr));

function toWav(result: ExecResult, bytes: Uint8Array, voice: string | undefined): Wav {
  if (result.ended === "aborted") throw new ToolError("ABORTED", "Speaking was stopped");
  if (result.ended === "timeout") throw failed(`it took longer than ${timeoutMs / 1000} s`);
  if (/voice does not exist/i.test(result.stderr)) {
    throw new ToolError("TTS_VOICE_UNKNOWN", `espeak-ng has no voice "${voice ?? ""}"`, {
      hint: 'Voices are languages, like "en-us", "de" or "fr", with a variant if wanted: "de+f3".',
    });
  }
  const wav = result.exitCode === 0 ? finishWav(bytes) : undefined;
  if (wav !== undefined) return wav;
  const said = result.detail ?? result.stderr.trim();
  throw failed(said === "" ? "no sound came; is there anything to be spoken in the text?" : shortenLine(said, 300));
}

const failed = (why: string) =>
  new ToolError("TTS_FAILED", `espeak-ng could not speak it: ${why}`, { hint: "Change or shorten the text." });
