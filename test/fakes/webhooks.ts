/** The gateway's `/hooks/` on loopback, without the gateway: for adapters that a platform calls. Speaks real HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Webhooks } from "../../src/contracts/gateway.ts";

type Hook = Parameters<Webhooks["open"]>[1];

export interface FakeWebhooks extends Webhooks {
  /** `http://127.0.0.1:<port>`; a hook is below `/hooks/`. */
  readonly url: string;
  readonly openNames: readonly string[];
  /** Bodies that were read, and what was answered to whoever asked. */
  readonly answered: { path: string; status: number; bodyBytes: number }[];
  close(): Promise<void>;
}

/** Closes by itself at the end of the test, where one is given. */
export async function createFakeWebhooks(context?: TestContext): Promise<FakeWebhooks> {
  const hooks = new Map<string, Hook>();
  const answered: FakeWebhooks["answered"] = [];
  const server = createServer((request, response) => {
    serve(hooks, request).then(
      ({ status, bodyBytes }) => answer(request, response, status, bodyBytes),
      () => answer(request, response, 500, 0),
    );
  });
  const answer = (request: IncomingMessage, response: ServerResponse, status: number, bodyBytes: number) => {
    answered.push({ path: request.url ?? "", status, bodyBytes });
    response.writeHead(status, { connection: "close" }).end();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  context?.after(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get openNames() {
      return [...hooks.keys()];
    },
    answered,
    open(name, hook) {
      if (hooks.has(name)) throw new Error(`The hook ${name} is open already`);
      hooks.set(name, hook);
      return () => void hooks.delete(name);
    },
    close,
  };
}

async function serve(hooks: ReadonlyMap<string, Hook>, request: IncomingMessage) {
  const [, name = ""] = /^\/hooks\/([^/?]+)/.exec(request.url ?? "") ?? [];
  const hook = hooks.get(name);
  if (!hook) return { status: 404, bodyBytes: 0 };
  const headers = request.headers as Record<string, string | undefined>;
  if (!hook.isAllowed(headers)) return { status: 401, bodyBytes: 0 };
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (body.length > hook.maxBytes) return { status: 413, bodyBytes: body.length };
  const { status } = await hook.handle({ path: request.url ?? "", headers, body });
  return { status, bodyBytes: body.length };
}
