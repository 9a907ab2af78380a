/** One message of a model as it comes in: which of it can be shown for good, and what may still change its look. */

import { splitFinishedBlocks } from "../../kit/markdown.ts";
import { createNeutraliser, neutralise } from "../../kit/neutralise.ts";
import { hideSilence } from "../../kit/silent.ts";

export interface ReplyStream {
  push(delta: string): void;
  /** Markdown of the blocks that were finished since the last call; empty when none was. */
  takeFinished(): string;
  /** Markdown behind the last finished block. */
  readonly rest: string;
  /** Ends the message with its true text: gives the Markdown that has not been taken yet. */
  finish(text: string): string;
  /** Everything that was taken. */
  readonly taken: string;
}

const toVisible = (text: string): string => hideSilence(text).trimStart();

/** Finding blocks in a rest beyond this is only worth it when the rest has grown by a quarter. UTF-16 units. */
const eagerLength = 16_384;

export function createReplyStream(): ReplyStream {
  const neutraliser = createNeutraliser();
  let text = "";
  let visible = "";
  let takenLength = 0;
  let lookAgainAt = 0;
  const rest = () => visible.slice(takenLength);
  const take = (length: number) => {
    const from = takenLength;
    takenLength += length;
    lookAgainAt = 0;
    return visible.slice(from, takenLength);
  };
  return {
    push(delta) {
      text += neutraliser.push(delta);
    },
    takeFinished() {
      visible = toVisible(text);
      const open = rest();
      if (open.length < lookAgainAt) return "";
      const { finished } = splitFinishedBlocks(open);
      if (finished !== "") return take(finished.length);
      lookAgainAt = open.length > eagerLength ? open.length * 1.25 : 0;
      return "";
    },
    get rest() {
      return rest();
    },
    finish(final) {
      visible = toVisible(text + neutraliser.end());
      const whole = toVisible(neutralise(final));
      // A text that went another way than what was shown already is left to the delivery, which then shows it whole.
      if (whole.startsWith(visible.slice(0, takenLength))) visible = whole;
      return take(visible.length - takenLength);
    },
    get taken() {
      return visible.slice(0, takenLength);
    },
  };
}
