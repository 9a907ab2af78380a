/** A refusal of the Bot API, in Telegram's own words: the method table throws it, the server answers with it. */
export class BotError extends Error {
  readonly code: number;
  readonly parameters: Record<string, number> | undefined;

  constructor(code: number, description: string, parameters?: Record<string, number>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const badRequest = (why: string): BotError => new BotError(400, `Bad Request: ${why}`);
export const notFound = (): BotError => new BotError(404, "Not Found");
export const otherPoller = (): BotError =>
  new BotError(
    409,
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  );
