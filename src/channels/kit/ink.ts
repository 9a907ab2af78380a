/** Text that shows nothing is no post: platforms refuse it. */

/** Something in it can be seen: more than space, control and format characters. */
export const hasInk = (text: string): boolean =>
  /(?!\u034f|\u17b4|\u17b5)[^\s\p{Cc}\p{Cf}\u115f\u1160\u3164\u2800\uffa0]/u.test(text);
