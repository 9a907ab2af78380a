/**
 * Pictures as providers take them: a kind they know, named as what the bytes are, valid base64, not too large. Others
 * become a line of text, so that one odd file does not make every later request fail.
 */
import { imageHeaderBytes, pickImageType } from "../../base/image-type.ts";
import type { ImageContent, TextContent } from "../../contracts/model.ts";

/** The strictest provider's limit for one picture, in base64 characters. */
const maxImageChars = 5 * 1024 * 1024;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

export const buildImageMarker = (why: string): TextContent => ({ type: "text", text: `(image left out: ${why})` });

export function cleanImage(image: ImageContent): ImageContent | TextContent {
  const { data } = image;
  if (data.length > maxImageChars) return buildImageMarker("it is larger than 5 MB");
  if (data.length % 4 !== 0 || !base64.test(data)) return buildImageMarker("its data is damaged");
  const mimeType = pickImageType(Buffer.from(data.slice(0, imageHeaderBytes * 2), "base64"));
  if (!mimeType) return buildImageMarker("it is not a PNG, JPEG, GIF or WebP file");
  return mimeType === image.mimeType ? image : { ...image, mimeType };
}
