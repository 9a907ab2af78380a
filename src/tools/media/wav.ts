/**
 * WAV as espeak-ng writes it to a pipe: it cannot know the length beforehand, so the header has a made-up one. Players
 * show that, some refuse the file; here the true one is put in.
 */
const riffHeaderBytes = 12;
const chunkHeaderBytes = 8;

export interface Wav {
  bytes: Uint8Array;
  durationMs: number;
}

/** Undefined for what is no WAV, or has no sound in it. */
export function finishWav(bytes: Uint8Array): Wav | undefined {
  const data = Buffer.from(bytes);
  if (data.toString("latin1", 0, 4) !== "RIFF" || data.toString("latin1", 8, 12) !== "WAVE") return undefined;
  let bytesPerSecond = 0;
  for (let at = riffHeaderBytes; at + chunkHeaderBytes <= data.length; ) {
    const id = data.toString("latin1", at, at + 4);
    const start = at + chunkHeaderBytes;
    if (id === "data") {
      const soundBytes = data.length - start;
      if (soundBytes === 0 || bytesPerSecond === 0) return undefined;
      data.writeUInt32LE(data.length - chunkHeaderBytes, 4);
      data.writeUInt32LE(soundBytes, at + 4);
      return { bytes: data, durationMs: Math.round((soundBytes / bytesPerSecond) * 1000) };
    }
    if (id === "fmt " && start + 12 <= data.length) bytesPerSecond = data.readUInt32LE(start + 8);
    at = start + data.readUInt32LE(at + 4);
  }
  return undefined;
}
