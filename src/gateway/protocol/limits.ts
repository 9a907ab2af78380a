/** Sizes and times that both ends of a connection hold to. */
export const protocolVersion = 1;

/** One frame of a client that is let in, bytes. Files go over HTTP. */
export const maxFrameBytes = 1024 * 1024;
/** One frame before that: a hello needs no more. */
export const maxHelloBytes = 16 * 1024;
/** Objects and lists in one another, in a frame of a client: what handles them may go down into them. */
export const maxFrameDepth = 100;
/** A client that has not said a good hello by then is hung up on. */
export const helloWithinMs = 10_000;
/** What may wait unsent for one client; one that reads slower than that is hung up on, and asks for what it missed. */
export const maxUnsentBytes = 4 * 1024 * 1024;
/** The server asks this often whether the other end is still there. */
export const pingEveryMs = 30_000;

/** Why the server hung up: WebSocket close codes. */
export const closeCodes = {
  /** Going away: mom stops or begins anew. */
  stopping: 1001,
  /** A frame was too large. */
  tooLarge: 1009,
  /** No (good) hello in time. */
  noHello: 4000,
  /** Not let in; the error frame before it says why. */
  notPaired: 4001,
  /** The identity was revoked. */
  revoked: 4003,
  /** It did not read what it was sent. */
  tooSlow: 4008,
  /** Too much rubbish. */
  badFrames: 4400,
} as const;
