/** The pictures among the files that came with messages, as a model sees them. */
import type { ChannelMessage } from "../contracts/message.ts";
import type { ImageContent } from "../contracts/model.ts";
import type { AgentDeps } from "./agent-deps.ts";

const mostImages = 4;

export async function readImages(
  { readImage }: Pick<AgentDeps, "readImage">,
  messages: readonly ChannelMessage[],
): Promise<ImageContent[]> {
  const files = messages.flatMap(({ attachments }) => attachments);
  // Where a platform does not say what a file is, its first bytes do.
  const mayBe = files.filter(({ mimeType = "image/" }) => mimeType.startsWith("image/"));
  const read = await Promise.all(mayBe.slice(0, mostImages).map((file) => readImage(file)));
  return read.filter((image) => image !== undefined);
}
