/** The web UI as it was built: plain files of one folder, nothing else, under a strict content policy. */
import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { extname, join, sep } from "node:path";
import { systemCode } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Exchange, Route } from "../parts.ts";
import { GatewayFault } from "../protocol/index.ts";
import { sendFile } from "./send-file.ts";

interface StaticDeps {
  /** Undefined: the UI is not there. */
  uiDir: string | undefined;
  clock: Clock;
}

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

const encodings = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

export function createStaticRoute({ uiDir, clock }: StaticDeps): Route {
  return {
    method: "GET",
    path: "/*",
    auth: "none",
    async handle({ request, response, path }: Exchange) {
      const name = path === "/" ? "index.html" : path.slice(1);
      const type = types[extname(name)];
      const found = uiDir !== undefined && type !== undefined && isPlain(name) && (await find(uiDir, name, request));
      if (!found || type === undefined) throw notFound(uiDir !== undefined);
      const { file, size, encoding } = found;
      response.writeHead(200, {
        "Content-Type": type,
        "Content-Length": size,
        "Content-Security-Policy": contentPolicy,
        "Cache-Control": pickCaching(name),
        Vary: "Accept-Encoding",
        ...(encoding !== undefined && { "Content-Encoding": encoding }),
      });
      await sendFile(response, file, { start: 0, end: request.method === "HEAD" ? 0 : size }, clock);
    },
  };
}

const notFound = (hasUi: boolean) =>
  new GatewayFault({
    code: "NOT_FOUND",
    message: hasUi ? "Nothing is here." : "The web page is not part of this mom: npm run build makes it.",
  });

/** Names that a build makes: no hidden ones, no way up. */
const isPlain = (name: string) => /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(name);

/** What lies under assets/ has its content's hash in its name. */
function pickCaching(name: string): string {
  if (name.startsWith("assets/")) return "public, max-age=31536000, immutable";
  return name === "index.html" ? "no-store" : "no-cache";
}

interface Found {
  file: FileHandle;
  size: number;
  encoding?: string;
}

async function find(uiDir: string, name: string, request: IncomingMessage): Promise<Found | undefined> {
  for (const { name: encoding, ending } of encodings) {
    if (!accepts(request.headers["accept-encoding"], encoding)) continue;
    const found = await openWithinRoot(uiDir, name + ending);
    if (found) return { ...found, encoding };
  }
  return openWithinRoot(uiDir, name);
}

/** Undefined: no such plain file there; a link that leads out is none. */
async function openWithinRoot(uiDir: string, name: string): Promise<Found | undefined> {
  try {
    const root = await realpath(uiDir);
    const path = await realpath(join(root, name));
    if (!path.startsWith(root + sep)) return undefined;
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await file.stat();
    if (info.isFile()) return { file, size: info.size };
    await file.close();
    return undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EISDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

function accepts(header: string | string[] | undefined, encoding: string): boolean {
  return String(header ?? "")
    .split(",")
    .some((part) => {
      const [name = "", ...settings] = part.split(";").map((each) => each.trim().toLowerCase());
      return name === encoding && !settings.some((setting) => /^q=0(?:\.0*)?$/.test(setting));
    });
}
