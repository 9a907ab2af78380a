/** Things that are due later. A schedule ends as a letter in the inbox, exactly once per occurrence. */
import type { ChannelRef } from "./message.ts";

export interface Schedule {
  id: string;
  /** Milliseconds since the epoch. */
  dueAt: number;
  /** Where the message will arrive. */
  channel: ChannelRef;
  /** What will be said to mom then. */
  text: string;
  /** Immutable id of who asked; the turn runs with that person's rights. */
  askedBy: { id: string; username: string };
  /** Where text in the conversation that set it came from, if it came from outside: the text here may be made of it. */
  outside?: string;
  createdAt: number;
}

/** The door that tools use: post it and forget it. */
export interface Scheduler {
  /** Durable when it resolves. A time in the past is refused. */
  add(schedule: Omit<Schedule, "id" | "createdAt">): Promise<Schedule>;
  /** Pending ones of a chat, soonest first. */
  list(channel: ChannelRef): Promise<Schedule[]>;
  /** False when there is none with that id in that chat. */
  remove(channel: ChannelRef, id: string): Promise<boolean>;
}
