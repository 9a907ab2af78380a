/** Loads the tools and their validator when the first turn needs them: they are the slowest import of this room. */
export const loadTools = async () => {
  const [{ nativeTools }, { createToolSet }] = await Promise.all([import("./registry.ts"), import("./tool-set.ts")]);
  return { nativeTools, createToolSet };
};

/** What they share: threads, browsers, the web. */
export const loadShared = () => import("./shared-parts.ts");
