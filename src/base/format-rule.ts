/** A rule of the allow-list as one line, the same in every question and list: the program, and each word as it would be typed. */
import type { AllowRule } from "../contracts/approval.ts";

/** Foreign words are in it: it is still to be made harmless for where it is shown. */
export function formatRule({ program, args }: AllowRule): string {
  const words = args.map((shape) => (shape.type === "path" ? "<any path below the folder>" : quote(shape.text)));
  return [quote(program), ...words].join(" ");
}

const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
