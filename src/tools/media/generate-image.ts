/** `image generate`: a picture made by the endpoint that the operator has set up (OpenAI's images/generations). */
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ImageConfig } from "./config.ts";
import {
  type CallLimits,
  type Endpoint,
  type EndpointAnswer,
  getFrom,
  hostOf,
  pickEndpoint,
  postJson,
} from "./endpoint.ts";
import { type FetchUrl, fetchImage } from "./load-image.ts";

export interface GenerateDeps {
  config: ImageConfig["generate"];
  clock: Clock;
  fetchUrl: FetchUrl;
}

/** Making one takes its time. */
const timeoutMs = 180_000;
const maxBytes = 20 * 1024 * 1024;

export async function generateImage(
  { config, clock, fetchUrl }: GenerateDeps,
  { prompt, size }: { prompt: string; size?: string | undefined },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const endpoint = pickEndpoint(config, "tools.image.generate");
  if (endpoint === undefined) {
    throw new ToolError("IMAGE_NOT_SET_UP", "No endpoint that makes pictures is set up", {
      hint: "The operator can set tools.image.generate.apiKey for OpenAI, or tools.image.generate.baseUrl for another endpoint with images/generations, and the model there.",
    });
  }
  const limits: CallLimits = { maxBytes, timeoutMs, signal, clock };
  const body = { model: config.model, prompt, n: 1, ...(size === undefined ? {} : { size }) };
  const picture = parsePicture(endpoint, await postJson(endpoint, "/images/generations", body, limits));
  if (picture.type === "bytes") return picture.bytes;
  return download(endpoint, picture.url, fetchUrl, limits);
}

type Picture = { type: "bytes"; bytes: Uint8Array } | { type: "url"; url: string };

function parsePicture(endpoint: Endpoint, { bytes }: EndpointAnswer): Picture {
  const { b64_json: data, url } = readFirst(bytes);
  if (typeof data === "string" && data !== "") return { type: "bytes", bytes: Buffer.from(data, "base64") };
  if (typeof url === "string" && url !== "") return { type: "url", url };
  throw invalid(endpoint, "without a picture in it");
}

/** The first of the answer's pictures, as whatever it is. */
function readFirst(bytes: Uint8Array): { b64_json?: unknown; url?: unknown } {
  try {
    const first: unknown = JSON.parse(new TextDecoder().decode(bytes))?.data?.[0];
    return typeof first === "object" && first !== null ? first : {};
  } catch {
    return {};
  }
}

/** The endpoint itself is the operator's choice; where it points to is not. */
async function download(endpoint: Endpoint, url: string, fetchUrl: FetchUrl, limits: CallLimits): Promise<Uint8Array> {
  const address = URL.parse(url);
  if (address?.origin === new URL(endpoint.baseUrl).origin) return (await getFrom(endpoint, url, limits)).bytes;
  if (address?.protocol !== "https:") throw invalid(endpoint, "with an address that is not https");
  return (await fetchImage(fetchUrl, url, limits.signal)).bytes;
}

const invalid = (endpoint: Endpoint, what: string) =>
  new ToolError("MEDIA_ANSWER_INVALID", `${hostOf(endpoint)} gave an answer ${what}`, {
    hint: `The operator must check that ${endpoint.setting}.baseUrl is what it should be.`,
  });
