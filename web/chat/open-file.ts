/** Files of the workspace and of posts: an address that is good for a short while, asked for when somebody looks. */
import { call, describeError } from "../connection.ts";
import { toast } from "../ui/index.ts";

export type FileRef = { path: string } | { deliveryId: string };

const mostKept = 60;
const kept = new Map<string, Promise<string>>();

/** A picture as an address of this page's own memory. The last ones are kept. */
export function loadPicture(ref: FileRef): Promise<string> {
  const key = JSON.stringify(ref);
  const known = kept.get(key);
  if (known) return known;
  const loading = fetchPicture(ref);
  kept.set(key, loading);
  loading.catch(() => kept.delete(key));
  const oldest = kept.size > mostKept ? kept.entries().next().value : undefined;
  if (oldest) {
    kept.delete(oldest[0]);
    oldest[1].then((address) => URL.revokeObjectURL(address)).catch(() => undefined);
  }
  return loading;
}

async function fetchPicture(ref: FileRef): Promise<string> {
  const { url } = await call("files.open", ref);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The file could not be read (HTTP ${response.status})`);
  return URL.createObjectURL(await response.blob());
}

export async function downloadFile(ref: FileRef, filename: string): Promise<void> {
  try {
    const { url } = await call("files.open", ref);
    const link = document.createElement("a");
    link.href = url;
    link.download = filename;
    link.click();
  } catch (error) {
    toast(describeError(error), "bad");
  }
}

export const isPicture = (filename: string, mimeType?: string): boolean =>
  mimeType === undefined
    ? /\.(png|jpe?g|gif|webp|avif)$/i.test(filename)
    : /^image\/(png|jpeg|gif|webp|avif)$/.test(mimeType);
