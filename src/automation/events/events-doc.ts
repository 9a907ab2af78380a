/** What the prompt says of event files. The same facts give the same bytes. */
export interface EventsDocFacts {
  /** The folder as the agent's tools see it. */
  folder: string;
  /** The chat of this conversation: `slack/C1`. */
  chat: string;
  /** Files there may name other chats too. */
  isOwner: boolean;
  /** IANA name. */
  timezone: string;
}

export function eventsDoc({ folder, chat, isOwner, timezone }: EventsDocFacts): string {
  const where = isOwner ? "Other chats can be named too." : "No other chat can be named.";
  return `A JSON file in \`${folder}\` wakes you, one event each: \`{"type":"immediate","channelId":"${chat}","text":"…"}\`; \`"one-shot"\` has also \`"at":"2026-12-15T09:00:00+01:00"\`, \`"periodic"\` \`"schedule":"0 9 * * 1-5","timezone":"${timezone}"\`. ${where} You get \`[EVENT:<file>:<type>:<when>] text\`. Delete a periodic one to end it.`;
}
