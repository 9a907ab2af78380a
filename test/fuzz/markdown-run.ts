/** `npm run fuzz -- markdown [count] [seed]`: random Markdown through every dialect until something is wrong. */
import { checkMarkdown } from "./markdown-checks.ts";
import { makeMarkdown } from "./markdown-documents.ts";

export function runMarkdown(count = 100_000, firstSeed = 1): void {
  const started = performance.now();
  let failures = 0;
  for (let seed = firstSeed; seed < firstSeed + count && failures < 20; seed++) {
    const markdown = makeMarkdown(seed);
    try {
      checkMarkdown(markdown, [64 + (seed % 200)]);
    } catch (error) {
      failures++;
      process.stdout.write(`seed ${seed}: ${String(error)}\n${JSON.stringify(markdown)}\n\n`);
    }
    if (seed % 10_000 === 0) process.stdout.write(`${seed - firstSeed + 1} texts, ${failures} failures\n`);
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`${count} texts from seed ${firstSeed} in ${seconds} s: ${failures} failures\n`);
  process.exitCode = failures > 0 ? 1 : 0;
}
