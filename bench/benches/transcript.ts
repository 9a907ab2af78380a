/** The first context of a session whose transcript has 50 MB: only what belongs to it may be read. */
import type { Bench } from "../bench.ts";
import { type Figure, summariseCosts } from "../figure.ts";
import { type TranscriptShape, writeLongTranscript } from "../long-transcript.ts";
import { runChild } from "../run-child.ts";
import type { TranscriptResult } from "../transcript-child.ts";

const megabytes = 50;
const names: Record<TranscriptShape, string> = {
  compacted: `open a ${megabytes} MB transcript`,
  whole: "the same, never summed up",
  branch: "the same, leaf on a branch",
};

export const transcriptBench: Bench = {
  name: "transcript",
  summary: `open a ${megabytes} MB transcript`,
  async run(workshop) {
    const path = await workshop.pathOfChild("transcript-child");
    const figures: Figure[] = [];
    for (const shape of ["compacted", "whole", "branch"] as const) {
      const dataDir = await workshop.createFolder();
      const { sessionKey } = await writeLongTranscript(dataDir, shape, megabytes * 1_000_000);
      const results: TranscriptResult[] = [];
      for (let life = 0; life < workshop.times(9, 2); life++) {
        results.push(await runChild<TranscriptResult>(path, { dataDir, sessionKey }));
      }
      const [{ messages } = { messages: 0 }] = results;
      const note = `${messages} messages in the first context`;
      figures.push({ name: names[shape], ...summariseCosts(results), target: { atMost: 150 }, note });
    }
    return figures;
  },
};
