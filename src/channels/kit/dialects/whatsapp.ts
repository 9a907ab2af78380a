/** WhatsApp's marks. It has no labelled links: addresses are written out and found by the phone. */
import type { Dialect } from "../dialect.ts";
import type { MentionWriter } from "../mentions.ts";
import { formatLink } from "./plain.ts";
import { buildStarMarks } from "./star-marks.ts";

export function createWhatsappDialect(mentions?: MentionWriter): Dialect {
  const marks = buildStarMarks((text) => text, formatLink);
  return { ...marks, mentions };
}
