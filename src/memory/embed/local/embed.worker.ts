/** The embedding thread: one text at a time through the local model. Started by `local-embedder.ts`; the model loads with the first. */
import { serveWorker } from "../../../base/serve-worker.ts";
import { loadLocalModel } from "../catalog.ts";
import { loadDictionary } from "./dictionary.ts";
import { glossText, hasHan } from "./gloss-text.ts";
import type { LocalAnswer, LocalJob } from "./local-embedder.ts";
import { meanOf, splitWindows } from "./windows.ts";

/** Calls `load` once. A failure is kept as well: the thread is ended after one, and the next begins anew. */
function once<Argument, Value>(load: (argument: Argument) => Promise<Value>): (argument: Argument) => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return (argument) => {
    loading ??= load(argument);
    return loading;
  };
}

function createWork(): (job: LocalJob) => Promise<LocalAnswer> {
  const model = once(loadLocalModel);
  // What is wrong with a dictionary must not keep English from being found.
  const dictionary = once((path: string) => loadDictionary(path).catch(() => undefined));
  return async ({ text, dictionaryPath }) => {
    const words = hasHan(text) && dictionaryPath !== undefined ? await dictionary(dictionaryPath) : undefined;
    const readable = words ? glossText(text, words) || text : text;
    const engine = await model(undefined);
    const vectors: number[][] = [];
    for (const window of splitWindows(readable)) vectors.push(...(await engine.embed([window])));
    return { vector: meanOf(vectors), lacksDictionary: hasHan(text) && words === undefined };
  };
}

serveWorker(createWork());
