/** Waits for the operator's own code only so long. It goes on when the time is over; nobody waits for it any more. */
import type { Clock } from "../../contracts/clock.ts";

export async function inTime<T>(clock: Clock, limitMs: number, work: Promise<T>, tooLate: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => late.reject(tooLate()));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
