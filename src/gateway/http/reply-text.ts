/** The text of a turn as a client sees it: what was streamed so far, what was posted, and what of the post is still missing. */
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Usage } from "../../contracts/model.ts";
import { createReplyGate, type ReplyGate } from "./reply-gate.ts";

/** Of all the turn's calls of a model. */
export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export type ReplyText = ReturnType<typeof createReplyText>;

export function createReplyText() {
  let gate: ReplyGate = createReplyGate();
  /** Of the message that is being written, and whether anything was said before it. */
  let shown = "";
  let hasEarlier = false;
  let lastMessage = "";
  let stopReason = "";
  let posts: string[] = [];
  const tokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

  const show = (text: string) => {
    if (text === "") return "";
    const gap = shown === "" && hasEarlier ? "\n\n" : "";
    shown += text;
    return gap + text;
  };
  const beginMessage = () => {
    hasEarlier ||= shown !== "";
    shown = "";
    gate = createReplyGate();
  };
  const reply = () => {
    const message = posts.length > 1 ? withoutTag(lastMessage) : "";
    return posts.length > 1 && isSame(posts.join(""), message) ? message : posts.join("\n\n");
  };

  return {
    tokens,
    take(event: AgentSessionEvent): string {
      switch (event.type) {
        case "message_start":
          beginMessage();
          return "";
        case "text_delta":
          return show(gate.push(event.delta));
        case "message_end":
          lastMessage = event.text;
          addTokens(tokens, event.usage);
          return show(gate.end());
        case "agent_end":
          stopReason = event.stopReason;
          return "";
        default:
          return "";
      }
    },
    addPost(text: string) {
      posts.push(text);
    },
    setPosts(texts: string[]) {
      posts = texts;
    },
    get hasPosts() {
      return posts.length > 0;
    },
    get reply() {
      return reply();
    },
    get isCut() {
      return stopReason === "length";
    },
    /** The model's last message has been posted to its end. */
    get isComplete() {
      return (stopReason === "stop" || stopReason === "length") && isSame(posts.join(""), withoutTag(lastMessage));
    },
    /** What was posted and has not been shown. */
    takeRest(): string {
      const whole = reply();
      if (whole === "" || isSame(shown, whole)) return "";
      if (shown !== "" && whole.startsWith(shown)) return show(whole.slice(shown.length));
      beginMessage();
      return show(whole);
    },
  };
}

function addTokens(sum: Tokens, { input, output, cacheRead, cacheWrite }: Usage): void {
  sum.input += input;
  sum.output += output;
  sum.cacheRead += cacheRead;
  sum.cacheWrite += cacheWrite;
}

function withoutTag(message: string): string {
  const gate = createReplyGate();
  return gate.push(message) + gate.end();
}

/** Where a long reply was cut into posts, the space between them is gone. */
const isSame = (a: string, b: string) => a === b || a.replace(/\s+/g, "") === b.replace(/\s+/g, "");
