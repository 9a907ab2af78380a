/** The gateway's slice of the configuration. Imported by the composition root at every start: nothing heavy. */
import { isIP } from "node:net";
import { z } from "zod";

/** `mom.example`, `192.168.1.5`, `::1`: no port, no scheme. */
const hostName = z
  .string()
  .max(253)
  .refine((text) => isIP(text) !== 0 || isPlainName(text), "write a host name or an address, without scheme and port");

const origin = z
  .string()
  .max(300)
  .refine(isOrigin, "write scheme, host and port as a browser does: https://mom.example or http://attic.lan:8080");

const addressRange = z
  .string()
  .max(64)
  .refine(isAddressRange, "write an address or a range: 127.0.0.1, 10.0.0.0/8 or fd00::/8");

export const gatewayConfig = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether mom listens at all. Off: no web page, no API, and the command line works without a running mom.",
      ),
    host: hostName
      .default("127.0.0.1")
      .describe(
        "The address to listen on. 127.0.0.1 is this machine only; 0.0.0.0 and :: are every network it is in. Token or paired device are asked for everywhere.",
      ),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .exactOptional()
      .describe(
        "The port for web page, API and WebSocket. Absent: 18800, or any free one where that is taken; 0: any free one.",
      ),
    auth: z
      .strictObject({
        password: z
          .string()
          .min(12, "a password has at least 12 characters")
          .max(1024)
          .meta({ secret: true })
          .exactOptional()
          .describe("Lets in like the token in state/gateway-token, for people who cannot read that file."),
      })
      .prefault({})
      .describe("How to get in, beside the token and paired devices."),
    hosts: z
      .array(hostName)
      .max(100)
      .default([])
      .describe(
        "Names under which mom is reached, as browsers show them, without port: those of a reverse proxy, of the local network. Requests under any other name are refused; this machine's own are always fine.",
      ),
    origins: z
      .array(origin)
      .max(100)
      .default([])
      .describe(
        "Web pages from elsewhere that may talk to mom, like https://tools.example. mom's own page needs no entry.",
      ),
    trustedProxies: z
      .array(addressRange)
      .max(100)
      .default([])
      .describe(
        "Addresses or ranges of reverse proxies whose X-Forwarded-For is believed when attempts to get in are counted.",
      ),
    http: z
      .strictObject({
        openai: z
          .boolean()
          .default(false)
          .describe("Answer /v1/chat/completions, /v1/responses and /v1/models as OpenAI does, with the token as key."),
      })
      .prefault({})
      .describe("Which other APIs are answered."),
    mdns: z
      .boolean()
      .default(false)
      .describe("Tell the local network that mom is here (_mom-gw._tcp). Only where host is more than this machine."),
    maxConnections: z
      .int()
      .min(10)
      .max(100_000)
      .default(2000)
      .describe("Connections at once, of every kind. More are refused."),
  })
  .describe("The web page, the API and the WebSocket of mom.");

export type GatewayConfig = z.output<typeof gatewayConfig>;

function isPlainName(text: string): boolean {
  return /^(?!-)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*$/.test(text);
}

function isOrigin(text: string): boolean {
  const parsed = URL.parse(text);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.origin === text;
}

function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
