/**
 * One running turn in a chat: its live post, edited no faster than the chat bears, and the signs that mom is at work. Ends
 * when the reply takes the post over, or when there is none. For `turn-show.ts`, which holds all of them.
 */
import { within } from "../../base/within.ts";
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Clock } from "../../contracts/clock.ts";
import { createFirstPart } from "./first-part.ts";
import type { LivePosts } from "./live-posts.ts";
import type { Pace } from "./pace.ts";
import type { ShowDriver, ShowPlace } from "./show-driver.ts";
import { createTurnContent, type TurnContentConfig } from "./turn-content.ts";
import { createTurnSigns } from "./turn-signs.ts";

export interface LiveTurnConfig extends TurnContentConfig {
  /** An emoji; empty for none. */
  ackReaction: string;
  /** A turn that ends sooner has no live post. */
  firstAfterMs: number;
  /** Between two edits in a chat, at least. */
  everyMs: number;
}

export interface LiveTurnDeps {
  clock: Clock;
  driver: ShowDriver;
  pace: Pace;
  posts: LivePosts;
  render(markdown: string): string[];
  /** Runs a call to the platform that nobody waits for; undefined when it failed. Never rejects. */
  background<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** When a live post of this chat was posted or edited last, of whatever turn; monotonic. -Infinity: never. */
  lastCallMs(channelId: string): number;
}

export interface LiveTurn {
  readonly place: ShowPlace;
  readonly calledAtMs: number;
  /** There is a live post, or there will be. */
  readonly hasPost: boolean;
  /** Takes an event in. After an `end` it begins anew, with the post that it has. */
  hear(event: AgentSessionEvent): void;
  /** Nothing is posted or edited from here on. `isForGood`: her emoji goes too. Twice is once. */
  end(isForGood: boolean): void;
  /** Resolves when no call is under way any more; false when one hangs. */
  settle(): Promise<boolean>;
  /** The live post goes, once no call is under way. If the turn still runs, another one comes below what is there now. */
  removePost(): Promise<void>;
  toDetails(): string[];
}

/** A call that takes longer hangs. */
const callWithinMs = 20_000;
const mostFailures = 3;

export function createLiveTurn(deps: LiveTurnDeps, place: ShowPlace, config: LiveTurnConfig): LiveTurn {
  const { clock, driver, pace, posts, background } = deps;
  const { channelId, turnId } = place;
  const toText = createFirstPart(deps.render);
  const beginSigns = () => createTurnSigns({ clock, driver, background }, place, config.ackReaction);
  let content = createTurnContent(config);
  let signs = beginSigns();
  let isRunning = true;
  let startedAtMs = clock.monotonic();
  let calledAtMs = -Infinity;
  let calling: Promise<unknown> | undefined;
  let cancelWait: (() => void) | undefined;
  let failures = 0;
  let messageId = posts.get(turnId)?.messageId;
  let shown = "";

  /** One call after the other; then it is looked at again. */
  function run(work: () => Promise<void>): Promise<void> {
    const call = (calling ?? Promise.resolve())
      .then(() => background(work))
      .then(() => {
        if (calling !== call) return;
        calling = undefined;
        update();
      });
    calling = call;
    return call;
  }
  function lookAgainIn(ms: number): void {
    cancelWait = clock.after(ms, () => {
      cancelWait = undefined;
      update();
    });
  }
  const dueAtMs = () => {
    const firstMs = messageId === undefined ? startedAtMs + config.firstAfterMs : -Infinity;
    return Math.max(firstMs, deps.lastCallMs(channelId) + config.everyMs * 2 ** failures);
  };

  /** Looks whether the live post should say something else. Asked after every event, call and wait. */
  function update(): void {
    if (!isRunning || calling || cancelWait || failures >= mostFailures || content.markdown === "") return;
    const nowMs = clock.monotonic();
    const waitMs = dueAtMs() - nowMs;
    const text = waitMs > 0 ? undefined : toText(content.markdown);
    if (waitMs > 0) lookAgainIn(waitMs);
    else if (text === undefined || text === shown) return;
    else if (!pace.tryTake(channelId)) lookAgainIn(config.everyMs);
    else {
      calledAtMs = nowMs;
      void run(() => say(text));
    }
  }
  async function say(text: string): Promise<void> {
    // Counted first, so that a throw counts.
    failures++;
    if (messageId !== undefined) {
      if (!(await driver.edit(place, messageId, text))) return;
    } else {
      messageId = await driver.post(place, text);
      if (messageId === undefined) return;
      await posts.put(turnId, { channelId, messageId });
    }
    shown = text;
    failures = 0;
  }

  return {
    place,
    get calledAtMs() {
      return calledAtMs;
    },
    get hasPost() {
      return messageId !== undefined || calling !== undefined;
    },
    hear(event) {
      if (!isRunning) {
        isRunning = true;
        content = createTurnContent(config);
        signs = beginSigns();
      }
      content.apply(event);
      signs.heard(content.isWaiting);
      update();
    },
    end(isForGood) {
      isRunning = false;
      cancelWait?.();
      cancelWait = undefined;
      signs.end(isForGood);
    },
    settle: () =>
      within(
        clock,
        callWithinMs,
        Promise.resolve(calling).then(() => true),
        () => false,
      ),
    removePost: () =>
      run(async () => {
        const leftId = messageId;
        if (leftId === undefined) return;
        await background(() => driver.remove(place, leftId));
        await posts.delete(turnId);
        messageId = undefined;
        shown = "";
        startedAtMs = clock.monotonic();
      }),
    toDetails: () => content.toDetails(),
  };
}
