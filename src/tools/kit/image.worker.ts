/** The image thread: decodes, makes smaller, turns upright, encodes until it fits. Started by `image-work.ts`. */
import { serveWorker } from "../../base/serve-worker.ts";
import { loadPhoton } from "./catalog.ts";
import { type ImageHeader, parseImageHeader } from "./image-header.ts";
import type { ImageFormat, ImageJob, ResizedImage } from "./image-job.ts";
import { onWhite, type Pixels, turnPixels } from "./turn-pixels.ts";

type Photon = Awaited<ReturnType<typeof loadPhoton>>;

/** Tried in this order when there are too many bytes, then again with fewer pixels. */
const lowerQualities = [70, 55, 40];
const shrinkBy = 0.7;
const smallestSide = 1;

serveWorker(async (job: ImageJob): Promise<ResizedImage> => {
  const header = parseImageHeader(job.bytes);
  if (header === undefined) throw new Error("no image");
  const photon = await loadPhoton();
  const decoded = decode(photon, job.bytes, job.maxSide);
  if (mayBeKept(job, header, decoded.from))
    return { bytes: job.bytes, mimeType: header.mimeType, ...decoded.from, from: decoded.from };
  // Turning after shrinking moves fewer pixels.
  const upright = turnPixels(decoded.pixels, header.orientation);
  const { width, height } = decoded.from;
  const from = header.orientation < 5 ? { width, height } : { width: height, height: width };
  const format = job.format ?? formatOf(header.mimeType);
  for (let pixels = upright; ; pixels = shrink(photon, pixels, shrinkBy)) {
    const encoded = encodeWithin(photon, pixels, format, job);
    if (encoded !== undefined || Math.max(pixels.width, pixels.height) <= smallestSide) {
      if (encoded === undefined) throw new Error(`cannot be made smaller than ${job.maxBytes} bytes`);
      return { ...encoded, width: pixels.width, height: pixels.height, from };
    }
  }
});

function mayBeKept(job: ImageJob, header: ImageHeader, size: { width: number; height: number }): boolean {
  if (!job.mayKeep || header.orientation !== 1 || job.bytes.length > job.maxBytes) return false;
  return (
    Math.max(size.width, size.height) <= job.maxSide &&
    (job.format ?? formatOf(header.mimeType)) === formatOf(header.mimeType)
  );
}

function decode(photon: Photon, bytes: Uint8Array, maxSide: number): { pixels: Pixels; from: Omit<Pixels, "data"> } {
  const image = photon.PhotonImage.new_from_byteslice(bytes);
  try {
    const from = { width: image.get_width(), height: image.get_height() };
    const factor = Math.min(1, maxSide / Math.max(from.width, from.height));
    return { pixels: factor === 1 ? toPixels(image) : resizeBy(photon, image, factor), from };
  } finally {
    image.free();
  }
}

function shrink(photon: Photon, pixels: Pixels, factor: number): Pixels {
  return withImage(photon, pixels, (image) => resizeBy(photon, image, factor));
}

function resizeBy(photon: Photon, image: InstanceType<Photon["PhotonImage"]>, factor: number): Pixels {
  const side = (length: number) => Math.max(1, Math.round(length * factor));
  const { CatmullRom } = photon.SamplingFilter;
  const resized = photon.resize(image, side(image.get_width()), side(image.get_height()), CatmullRom);
  try {
    return toPixels(resized);
  } finally {
    resized.free();
  }
}

const toPixels = (image: InstanceType<Photon["PhotonImage"]>): Pixels => ({
  data: image.get_raw_pixels(),
  width: image.get_width(),
  height: image.get_height(),
});

function withImage<T>(photon: Photon, pixels: Pixels, use: (image: InstanceType<Photon["PhotonImage"]>) => T): T {
  const image = new photon.PhotonImage(pixels.data, pixels.width, pixels.height);
  try {
    return use(image);
  } finally {
    image.free();
  }
}

/** Undefined when no way of encoding these pixels has few enough bytes. */
function encodeWithin(photon: Photon, pixels: Pixels, format: ImageFormat, job: ImageJob) {
  const fits = (bytes: Uint8Array) => bytes.length <= job.maxBytes;
  if (format !== "jpeg") {
    const bytes = withImage(photon, pixels, (image) => (format === "png" ? image.get_bytes() : image.get_bytes_webp()));
    if (fits(bytes)) return { bytes, mimeType: `image/${format}` };
    // A kind that was asked for is kept; else JPEG says nearly the same in far fewer bytes.
    if (job.format !== undefined) return undefined;
  }
  return withImage(photon, onWhite(pixels), (image) => {
    for (const quality of [job.quality, ...lowerQualities.filter((lower) => lower < job.quality)]) {
      const bytes = image.get_bytes_jpeg(quality);
      if (fits(bytes)) return { bytes, mimeType: "image/jpeg" };
    }
    return undefined;
  });
}

const formatOf = (mimeType: string): ImageFormat =>
  mimeType === "image/jpeg" ? "jpeg" : mimeType === "image/webp" ? "webp" : "png";
