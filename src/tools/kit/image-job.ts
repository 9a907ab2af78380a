/** What goes into the image thread and what comes out; see `image-work.ts` and `image.worker.ts`. */
export type ImageFormat = "png" | "jpeg" | "webp";

export interface ImageJob {
  bytes: Uint8Array;
  maxSide: number;
  /** Absent: as the image is. */
  format?: ImageFormat;
  quality: number;
  maxBytes: number;
  /** As it is, when it decodes, stands upright and fits. */
  mayKeep: boolean;
}

export interface ResizedImage {
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
  /** As it was shown before. */
  from: { width: number; height: number };
}
