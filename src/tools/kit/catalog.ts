/** Loads the image codecs (2 MB of WebAssembly) when the first image needs them: in the thread, never beside the turns. */
export const loadPhoton = async () => (await import("@silvia-odwyer/photon-node")).default;
