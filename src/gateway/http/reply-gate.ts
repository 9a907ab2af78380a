/**
 * One message of the model while it is written: lets through what will be in the reply, and nothing that will not. The token
 * for silence and the tag that says which message is answered are for mom's delivery, and spaces at either end are cut there.
 */
const silentToken = "[SILENT]";
const replyTag = /^\s*\[\[\s*reply_to(?:_current|:\s*[^\]\s]{1,200})\s*\]\]\s*/;
/** What may still become such a tag. */
const openTag = /^\s*\[\[[^\]]{0,220}\]?$/;

export interface ReplyGate {
  /** What of it may be shown now. */
  push(delta: string): string;
  /** The message is complete: what was held back and may be shown after all. */
  end(): string;
}

export function createReplyGate(): ReplyGate {
  /** The beginning, until it is clear what it is. */
  let head: string | undefined = "";
  /** Spaces that are shown only if something follows. */
  let space = "";
  const pass = (text: string) => {
    const whole = space + text;
    const shown = whole.trimEnd();
    space = whole.slice(shown.length);
    return shown;
  };
  return {
    push(delta) {
      if (head === undefined) return pass(delta);
      head += delta;
      const said = head.replace(replyTag, "").trimStart();
      if (openTag.test(head) || silentToken.startsWith(said.trimEnd())) return "";
      head = undefined;
      return pass(said);
    },
    end() {
      const said = head?.replace(replyTag, "").trim() ?? "";
      return said === silentToken ? "" : said;
    },
  };
}
