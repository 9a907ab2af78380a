/**
 * Branded ids: a plain string cannot be passed where one of these is asked for. They are made in one place each
 * (session keys in `sessions/`, the rest in `base/ids`), so that whoever holds one knows it is well formed.
 */
declare const brand: unique symbol;
export type Brand<Name extends string> = string & { readonly [brand]: Name };

/** `agent:main:main`, `agent:main:group:slack-acme:C1` … (spec 3.3). Names a conversation for good. */
export type SessionKey = Brand<"SessionKey">;
/** Names one life of a session between two `/new`: the id in the header of its transcript. */
export type SessionId = Brand<"SessionId">;
/** One turn: one inbound message on its way to one reply. */
export type TurnId = Brand<"TurnId">;
/** One question to a person with the right to allow; short, because it is typed. */
export type ApprovalId = Brand<"ApprovalId">;
/** One delivery: one call to a platform that posts one thing. Also the idempotency key given to the platform. */
export type DeliveryId = Brand<"DeliveryId">;
/** One entry of a transcript, eight hexadecimal digits, unique in its file. */
export type EntryId = Brand<"EntryId">;
