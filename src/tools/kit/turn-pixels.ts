/** Turns decoded pixels the way that the camera says it was held (EXIF orientation), and puts white behind what is transparent. */
export interface Pixels {
  /** Red, green, blue, opacity. */
  data: Uint8Array;
  width: number;
  height: number;
}

export function turnPixels(pixels: Pixels, orientation: number): Pixels {
  if (orientation <= 1 || orientation > 8) return pixels;
  const { width, height } = pixels;
  const isTurned = orientation >= 5;
  const [toWidth, toHeight] = isTurned ? [height, width] : [width, height];
  const isMirroredAcross = [2, 3, 7, 8].includes(orientation);
  const isMirroredDown = [3, 4, 6, 7].includes(orientation);
  const from = new Uint32Array(pixels.data.slice().buffer);
  const to = new Uint32Array(from.length);
  for (let y = 0; y < toHeight; y++) {
    for (let x = 0; x < toWidth; x++) {
      const column = isTurned ? y : x;
      const row = isTurned ? x : y;
      const sourceX = isMirroredAcross ? width - 1 - column : column;
      const sourceY = isMirroredDown ? height - 1 - row : row;
      to[y * toWidth + x] = from[sourceY * width + sourceX] ?? 0;
    }
  }
  return { data: new Uint8Array(to.buffer), width: toWidth, height: toHeight };
}

/** JPEG has no transparency: what would show through gets white, as on paper. */
export function onWhite({ data, width, height }: Pixels): Pixels {
  const flat = data.slice();
  for (let at = 0; at < flat.length; at += 4) {
    const opacity = flat[at + 3] ?? 255;
    if (opacity === 255) continue;
    for (let i = at; i < at + 3; i++) flat[i] = Math.round(((flat[i] ?? 0) * opacity + 255 * (255 - opacity)) / 255);
    flat[at + 3] = 255;
  }
  return { data: flat, width, height };
}
