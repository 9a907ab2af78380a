/** What the two ways of using a terminal (piped, chat UI) have in common; the adapter is written against this. */
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { OutgoingFile, OutgoingText } from "../../contracts/channel.ts";
import type { TurnId } from "../../contracts/ids.ts";

export interface Surface {
  /** Resolves when input is being read. */
  start(): Promise<void>;
  /** Gives the terminal back as it was; synchronous, so that it also works on the way out. May be called twice. */
  stop(): void;
  /** Resolves when it is written; false when the output is closed. */
  showReply(message: OutgoingText): Promise<boolean>;
  showFile(file: OutgoingFile): Promise<boolean>;
  showEvent(turnId: TurnId, event: AgentSessionEvent): void;
  /** A line that is not part of the conversation (a log line, a note). */
  writeAbove(text: string): void;
  /** Resolves when nothing more will be said here. */
  whenDone(): Promise<void>;
}
