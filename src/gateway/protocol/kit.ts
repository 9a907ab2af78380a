/** Short names for the schemas of the protocol, so that a table of methods can be read as one. */
import { type Static, type TProperties, type TSchema, Type } from "typebox";

/** An object that takes no other keys than these. */
export const strict = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
export const list = <Schema extends TSchema>(items: Schema) => Type.Array(items);
export const oneOf = <const Values extends readonly string[]>(...values: Values) => Type.Enum<[...Values]>([...values]);

/** Text of the house's own making: names, states, sentences. */
export const text = Type.String();
/** What a person types into a field: never empty, never a novel. */
export const word = Type.String({ minLength: 1, maxLength: 512 });
export const flag = Type.Boolean();
export const count = Type.Integer({ minimum: 0 });
export const amount = Type.Number();
/** Milliseconds since the epoch. */
export const moment = Type.Number();
/** Any JSON. */
export const json = Type.Unknown();
export const record = Type.Record(Type.String(), Type.Unknown());
export const nothing = strict({});

/** Makes a call that is sent twice count once. Chosen by the client. */
export const idempotencyKey = Type.String({ minLength: 8, maxLength: 128, pattern: "^[\\w.:-]+$" });
export const sessionKey = Type.String({ minLength: 1, maxLength: 1024 });

export type Of<Schema extends TSchema> = Static<Schema>;
