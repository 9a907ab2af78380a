/**
 * Turns what the browser's driver throws into answers that a model can act on. The driver's texts quote the page: nothing
 * of them is passed on, only what they are known to mean.
 */
import { errorText, MomError, ToolError } from "../../base/errors.ts";

/** What the browser says of a page that did not come, in words. */
const networkFaults: readonly [RegExp, string][] = [
  [/ERR_NAME_NOT_RESOLVED/, "its host name is not known"],
  [/ERR_CONNECTION_REFUSED|ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY/, "no connection could be made"],
  [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|ERR_NETWORK/, "the connection broke off"],
  [/ERR_(CERT|SSL|BAD_SSL)/, "its certificate or encryption is not in order"],
  [/ERR_TOO_MANY_REDIRECTS/, "it redirects in a circle"],
  [
    /ERR_UNSAFE_REDIRECT|ERR_UNKNOWN_URL_SCHEME|ERR_BLOCKED|ERR_DISALLOWED/,
    "it leads to an address that is not opened",
  ],
  [/ERR_ABORTED/, "loading was broken off"],
];

/** Why an element could not be used, by the driver's log. */
const elementFaults: readonly [RegExp, string][] = [
  [/intercepts pointer events/, "something else lies over it"],
  [/did not find some options/, "it has no such option"],
  [/not a <select>/, "it is not a list to select from"],
  [/not an <input>|not editable|readonly/, "nothing can be typed into it"],
  [/not enabled|is disabled/, "it is disabled"],
  [/not visible/, "it is not visible"],
  [/outside of the viewport/, "it lies outside of what can be shown"],
  [/not stable/, "it keeps moving"],
  [/Unknown key/, "there is no such key"],
];

const has = (faults: readonly [RegExp, string][], text: string) => faults.find(([sign]) => sign.test(text))?.[1];

/** `what`: what was tried, e.g. `click e5`. */
export function toBrowserError(cause: unknown, what: string): unknown {
  if (cause instanceof MomError) return cause;
  const text = errorText(cause);
  if (/has been closed|Target closed|Target crashed|browser has disconnected|Page crashed/i.test(text)) {
    return new ToolError("BROWSER_ENDED", `The page or the browser ended during "${what}"`, {
      hint: "Open the page again.",
      retryable: true,
      cause,
    });
  }
  if (/aria-ref|Frame .* detached|frame was detached/i.test(text) && !elementFaultOf(text))
    return staleRef(what, cause);
  if (/net::ERR_|interrupted by another navigation/.test(text)) return pageFailed(what, text, cause);
  const fault = elementFaultOf(text);
  if (fault === undefined && isTimeout(cause)) {
    return new ToolError("BROWSER_TIMED_OUT", `"${what}" did not get done in time`, {
      hint: "Take a snapshot to see how the page looks now.",
      retryable: true,
      cause,
    });
  }
  return new ToolError(
    "BROWSER_ACTION_FAILED",
    `"${what}" was not possible${fault === undefined ? "" : `: ${fault}`}`,
    {
      hint: "Take a snapshot to see how the page looks now.",
      cause,
    },
  );
}

const elementFaultOf = (text: string) => has(elementFaults, text);
const isTimeout = (error: unknown) => error instanceof Error && error.name === "TimeoutError";

export function pageFailed(address: string, text: string, cause?: unknown): ToolError {
  const fault = has(networkFaults, text) ?? "it could not be loaded";
  return new ToolError("BROWSER_PAGE_FAILED", `The page did not open (${address}): ${fault}`, {
    hint: "Check the address, or try again later.",
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function staleRef(ref: string, cause?: unknown): ToolError {
  return new ToolError("BROWSER_REF_STALE", `No element "${ref}" is on the page any more`, {
    hint: "Take a new snapshot and use a ref from it.",
    ...(cause === undefined ? {} : { cause }),
  });
}
