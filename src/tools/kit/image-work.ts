/**
 * Images made smaller or of another kind, for `read` and `image`: checked by their header first, then decoded in a thread
 * with a time limit, because what a decoder does with a hostile file is nobody's promise.
 */
import { ToolError } from "../../base/errors.ts";
import { createWorkerRunner } from "../../base/worker-runner.ts";
import type { Clock } from "../../contracts/clock.ts";
import { parseImageHeader } from "./image-header.ts";
import type { ImageFormat, ImageJob, ResizedImage } from "./image-job.ts";

export type { ImageFormat, ResizedImage } from "./image-job.ts";

export interface ImageFacts {
  mimeType: string;
  /** Pixels, as it is shown. */
  width: number;
  height: number;
}

export interface ResizeOptions {
  /** Pixels of the longer side. A smaller image is not made larger. */
  maxSide: number;
  /** Absent: as it is, GIF as PNG; a picture that gets too many bytes becomes JPEG. */
  format?: ImageFormat;
  /** JPEG only, 1 to 100. Absent: 85. */
  quality?: number;
  /** The result has no more: by lower JPEG quality first, then by fewer pixels. Absent: any. */
  maxBytes?: number;
  /** An image that needs no change comes back as it is, once it has been decoded without a fault. Absent: encoded anew. */
  mayKeep?: boolean;
  signal?: AbortSignal;
}

export interface ImageWork {
  /**
   * Encodes anew: only the picture stays, no camera data. Throws `IMAGE_UNREADABLE`, `IMAGE_TOO_LARGE`,
   * `WORK_TIMED_OUT` or `ABORTED`.
   */
  resize(bytes: Uint8Array, options: ResizeOptions): Promise<ResizedImage>;
  /** By the header alone; undefined for what is no PNG, JPEG, GIF or WebP. */
  inspect(bytes: Uint8Array): ImageFacts | undefined;
  /** Ends the thread; the next image would start another. */
  close(): Promise<void>;
}

/** Four bytes a pixel, a few times over, while it is worked on. */
const maxPixels = 60_000_000;
const timeoutMs = 30_000;
const defaultQuality = 85;

export function createImageWork({ clock }: { clock: Clock }): ImageWork {
  const runner = createWorkerRunner<ImageJob, ResizedImage>({
    source: new URL("./image.worker.ts", import.meta.url),
    clock,
  });
  return {
    async resize(bytes, { maxSide, format, quality = defaultQuality, maxBytes, mayKeep = false, signal }) {
      const { width, height } = ensureDecodable(bytes);
      const job: ImageJob = {
        bytes,
        maxSide,
        quality,
        maxBytes: maxBytes ?? Number.POSITIVE_INFINITY,
        mayKeep,
        ...(format === undefined ? {} : { format }),
      };
      try {
        return await runner.run(job, { timeoutMs, ...(signal === undefined ? {} : { signal }) });
      } catch (error) {
        if (!(error instanceof ToolError) || error.code !== "WORK_FAILED") throw error;
        throw unreadable(`The image (${width}×${height}) cannot be decoded; it is damaged or of a rare kind`, error);
      }
    },
    inspect(bytes) {
      const header = parseImageHeader(bytes);
      if (header === undefined) return undefined;
      const { mimeType, width, height, orientation } = header;
      return orientation < 5 ? { mimeType, width, height } : { mimeType, width: height, height: width };
    },
    close: runner.close,
  };
}

function ensureDecodable(bytes: Uint8Array) {
  const header = parseImageHeader(bytes);
  if (header === undefined) throw unreadable("This is no PNG, JPEG, GIF or WebP image, or only a piece of one");
  if (header.width * header.height <= maxPixels) return header;
  throw new ToolError(
    "IMAGE_TOO_LARGE",
    `The image has ${header.width}×${header.height} pixels; images up to ${maxPixels / 1_000_000} megapixels can be used`,
    { hint: "Make a smaller copy of it with another program first." },
  );
}

const unreadable = (message: string, cause?: unknown) =>
  new ToolError("IMAGE_UNREADABLE", message, {
    hint: "Convert it with another program first, or get the file again.",
    cause,
  });
