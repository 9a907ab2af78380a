/** Files on their way to mom: an address for each from the gateway, then the bytes, with progress. */
import { signal } from "@preact/signals";
import { call, describeError } from "../connection.ts";
import type { Uploaded } from "./chat-store.ts";

export interface Upload {
  id: number;
  name: string;
  size: number;
  type: string;
  /** For a picture: what it looks like. */
  preview: string | undefined;
  state: { type: "uploading"; part: number } | { type: "done"; uploaded: Uploaded } | { type: "failed"; error: string };
}

export interface Uploads {
  readonly list: { readonly value: readonly Upload[] };
  add(files: Iterable<File>): void;
  remove(id: number): void;
  /** All that are done, and none is left. Undefined: some are not. */
  take(): Uploaded[] | undefined;
}

const mostFiles = 20;

export function createUploads(sessionKey: string): Uploads {
  const list = signal<readonly Upload[]>([]);
  const aborts = new Map<number, AbortController>();
  let nextId = 1;
  const change = (id: number, state: Upload["state"]) => {
    list.value = list.peek().map((each) => (each.id === id ? { ...each, state } : each));
  };

  async function upload(id: number, file: File, signal: AbortSignal): Promise<void> {
    try {
      const name = file.name || "pasted";
      const mimeType = file.type === "" ? {} : { mimeType: file.type };
      const { uploadId, url } = await call("files.upload", {
        sessionKey,
        filename: name,
        size: file.size,
        ...mimeType,
      });
      await put(url, file, signal, (part) => change(id, { type: "uploading", part }));
      const reference = { filename: name, path: "", size: file.size, ...mimeType };
      change(id, { type: "done", uploaded: { uploadId, file: reference } });
    } catch (error) {
      if (!signal.aborted) change(id, { type: "failed", error: describeError(error) });
    } finally {
      aborts.delete(id);
    }
  }

  const forget = ({ id, preview }: Upload) => {
    aborts.get(id)?.abort();
    if (preview !== undefined) URL.revokeObjectURL(preview);
  };

  return {
    list,
    add: (files) => {
      for (const file of files) {
        if (list.peek().length >= mostFiles) return;
        const id = nextId++;
        const abort = new AbortController();
        aborts.set(id, abort);
        const preview = /^image\/(png|jpeg|gif|webp|avif)$/.test(file.type) ? URL.createObjectURL(file) : undefined;
        const { name, size, type } = file;
        list.value = [...list.peek(), { id, name, size, type, preview, state: { type: "uploading", part: 0 } }];
        void upload(id, file, abort.signal);
      }
    },
    remove: (id) => {
      for (const each of list.peek()) if (each.id === id) forget(each);
      list.value = list.peek().filter((each) => each.id !== id);
    },
    take: () => {
      const done = list.peek().flatMap(({ state }) => (state.type === "done" ? [state.uploaded] : []));
      if (done.length < list.peek().length) return undefined;
      list.peek().forEach(forget);
      list.value = [];
      return done;
    },
  };
}

/** `fetch` tells nothing while it sends. */
function put(url: string, file: File, signal: AbortSignal, onProgress: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () =>
      request.status < 300 ? resolve() : reject(new Error(readProblem(request.responseText, request.status)));
    request.onerror = () => reject(new Error("The connection was lost while the file was sent"));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.open("PUT", url);
    request.send(file);
  });
}

function readProblem(body: string, status: number): string {
  try {
    const message: unknown = JSON.parse(body)?.error?.message;
    if (typeof message === "string") return message;
  } catch {
    // Not of mom's making, a proxy's perhaps: the status says enough.
  }
  return `The file was not taken (HTTP ${status})`;
}
