/** Waits for something outside only so long: its result, or what `instead` makes of a failure or of waiting too long. */
import type { Clock } from "../contracts/clock.ts";
import { errorText } from "./errors.ts";

/** Never rejects. The work itself goes on when the time is over; nobody waits for it any more. */
export async function within<T>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  instead: (reason: string) => T,
): Promise<T> {
  let cancel = () => {};
  const tooLate = new Promise<T>((resolve) => {
    cancel = clock.after(limitMs, () => resolve(instead(`No answer within ${limitMs} ms`)));
  });
  try {
    return await Promise.race([work, tooLate]);
  } catch (error) {
    return instead(errorText(error));
  } finally {
    cancel();
  }
}
