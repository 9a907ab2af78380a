/**
 * A reply of just the silent token is never delivered (spec 2.3). This keeps it out of sight while the reply is still
 * being streamed and nobody knows yet whether more will follow.
 */
const silentToken = "[SILENT]";

/** What of a growing reply may be shown: nothing while it may still turn out to be silence. */
export function hideSilence(partial: string): string {
  return silentToken.startsWith(partial.trim()) ? "" : partial;
}
