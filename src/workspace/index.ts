/** The workspace's face: what people write in Markdown. */
export { ensureWorkspace } from "./ensure-workspace.ts";
