/** Colours and weights for a terminal. The only place that writes SGR sequences; without colour all of it is the identity. */
export type Paint = (text: string) => string;

export interface Paints {
  bold: Paint;
  dim: Paint;
  italic: Paint;
  underline: Paint;
  strike: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  cyan: Paint;
}

export function createPaints(color: boolean): Paints {
  const paint = (on: number, off: number): Paint => {
    if (!color) return (text) => text;
    const open = `\x1b[${on}m`;
    const close = `\x1b[${off}m`;
    // Whatever inside ends with the same sequence would end this one too, so it is begun again.
    return (text) => (text === "" ? "" : open + text.replaceAll(close, close + open) + close);
  };
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    strike: paint(9, 29),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
