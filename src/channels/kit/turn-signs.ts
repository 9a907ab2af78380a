/** The small signs that mom is at work: she types, and her emoji is on the message that she answers. For `turn-show.ts`. */
import type { Clock } from "../../contracts/clock.ts";
import type { ShowDriver, ShowPlace } from "./show-driver.ts";

export interface TurnSigns {
  /** Something was heard of the turn. While it waits for a person, nobody types. */
  heard(isWaiting: boolean): void;
  /** `isForGood`: the emoji goes too. Twice is once. */
  end(isForGood: boolean): void;
}

export interface TurnSignsDeps {
  clock: Clock;
  driver: ShowDriver;
  /** Runs a call to the platform that nobody waits for; never rejects. */
  background(work: () => Promise<unknown>): Promise<unknown>;
}

const usualTypingMs = 5_000;
/** A turn that was not heard of for so long may be gone without a word. */
const quietMs = 300_000;

/** `emoji`: empty for none. */
export function createTurnSigns(deps: TurnSignsDeps, place: ShowPlace, emoji: string): TurnSigns {
  const { clock, driver, background } = deps;
  const messageId = place.cause?.id;
  let cancel = () => {};
  let isTyping = false;
  let isOver = false;
  let heardAtMs = clock.monotonic();
  let isWaiting = false;
  let reacted: Promise<unknown> | undefined;

  const type = () => {
    if (isOver) return;
    cancel = clock.after(driver.typingEveryMs ?? usualTypingMs, type);
    if (isTyping || isWaiting || clock.monotonic() - heardAtMs > quietMs) return;
    isTyping = true;
    void background(async () => driver.typing?.(place)).then(() => {
      isTyping = false;
    });
  };
  if (driver.typing) type();
  if (emoji !== "" && messageId !== undefined) {
    reacted = background(async () => driver.react?.(place, messageId, emoji));
  }
  return {
    heard(nowWaiting) {
      heardAtMs = clock.monotonic();
      isWaiting = nowWaiting;
    },
    end(isForGood) {
      isOver = true;
      cancel();
      if (!isForGood || !reacted || messageId === undefined) return;
      const before = reacted;
      reacted = undefined;
      void background(async () => {
        await before;
        await driver.react?.(place, messageId, emoji, true);
      });
    },
  };
}
