/** `npm run fuzz -- [markdown|frames] [count] [seed]`: rubbish from a seed, as much of it as one likes. Markdown where nothing is named. */
import { runFrames } from "./frame-run.ts";
import { runMarkdown } from "./markdown-run.ts";

const [first = "", ...rest] = process.argv.slice(2);
const isNamed = first === "frames" || first === "markdown";
const [count, seed] = (isNamed ? rest : process.argv.slice(2)).map(Number);
await (first === "frames" ? runFrames(count, seed) : runMarkdown(count, seed));
