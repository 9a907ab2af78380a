/** The fake's uploads: an address to send the bytes to, then the post that shows them. Which post it was, only `files.info` tells. */
import { buildMessageEvent } from "./message-events.ts";
import { findChannel, type Method, type MethodContext, refuse } from "./method.ts";
import { toWireFile } from "./to-wire.ts";
import { bot, type Json, type SlackFile } from "./workspace.ts";

function getUploadUrl(args: Json, { workspace, origin }: MethodContext): Json {
  const size = Number(args["length"]);
  const name = String(args["filename"] ?? "");
  if (name === "" || !(size > 0)) return refuse("invalid_arguments");
  const mimeType = name.endsWith(".txt") ? "text/plain" : "application/octet-stream";
  const file = workspace.addFile({ name, mimeType, bytes: Buffer.alloc(0), size, isUploaded: false });
  return { ok: true, upload_url: `${origin}/upload/v1/${file.id}`, file_id: file.id };
}

function complete(args: Json, context: MethodContext): Json {
  const named = ((args["files"] as Json[] | undefined) ?? []).map(({ id }) => context.workspace.files.get(String(id)));
  const files = named.filter((file): file is SlackFile => file?.isUploaded === true);
  if (files.length === 0 || files.length < named.length) return refuse("file_not_found");
  const answer = { ok: true, files: files.map(({ id, name }) => ({ id, title: name })) };
  if (args["channel_id"] === undefined) return answer;
  const found = findChannel(context, args["channel_id"]);
  if (found.type === "refused") return found.answer;
  const message = context.workspace.addMessage({
    channelId: found.channel.id,
    userId: bot.userId,
    botId: bot.botId,
    subtype: "file_share",
    text: String(args["initial_comment"] ?? ""),
    files,
    ...(typeof args["thread_ts"] === "string" && { threadTs: args["thread_ts"] }),
  });
  context.emit(buildMessageEvent(context, message));
  return answer;
}

function info(args: Json, { workspace, settings, origin }: MethodContext): Json {
  const file = workspace.files.get(String(args["file"]));
  if (!file) return refuse("file_not_found");
  const isEarly = settings.sharesAfter > 0;
  if (isEarly) settings.sharesAfter -= 1;
  return { ok: true, file: toWireFile(isEarly ? { ...file, shares: [] } : file, `${origin}/files-pri`) };
}

export const fileMethods: Record<string, Method> = {
  "files.getUploadURLExternal": { scopes: ["files:write"], run: getUploadUrl },
  "files.completeUploadExternal": { scopes: ["files:write"], run: complete },
  "files.info": { scopes: ["files:read"], run: info },
};
