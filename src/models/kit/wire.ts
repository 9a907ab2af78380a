/**
 * What pi-ai's wire formats differ in, seen from here: how a credential goes into a call, and how a call is watched for
 * what its failure will not say. One `Wire` per format; the formats themselves are pi-ai's.
 */
import type { ProviderHeaders, ProviderStreams, SimpleStreamOptions } from "@earendil-works/pi-ai";
import type { CallCredential, ProviderDeps } from "../provider.ts";
import type { SeenResponse } from "./observe-fetch.ts";

export interface Wire {
  /** pi-ai's name for it; stands in the transcript. */
  api: string;
  streams: ProviderStreams;
  authorize(credential: CallCredential | undefined): CallAuth;
  /** Its client knows header names in lower case only, and would send one in another case twice. */
  hasLowerCaseHeaders?: true;
  /** Options that write into `seen` what the call meets. */
  watch(deps: ProviderDeps, seen: SeenResponse): Pick<SimpleStreamOptions, "fetch" | "onResponse">;
  /** What the words of a failure tell, where they are all there is. */
  readFailure?(text: string): SeenResponse;
}

export type CallAuth =
  | {
      type: "ready";
      /** Absent: the client authenticates by its own means. */
      apiKey?: string;
      /** A null takes a header away that the SDK would send. */
      headers: ProviderHeaders;
      /** The client says by itself who it is; else it is mom. */
      hasOwnIdentity?: true;
    }
  /** The credential is not one that may be sent; the reason is for the operator. */
  | { type: "refused"; reason: string };

/** The SDKs refuse to start without a key, also where none is sent. */
export const noKey = "none";
