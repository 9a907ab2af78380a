/** How much a tool may say to the model (spec 5.2). */
export const maxResultLines = 2000;
export const maxResultBytes = 50 * 1024;
/** Characters. */
export const maxGrepLineLength = 500;
/** Pixels. More detail costs tokens and shows models nothing more. */
export const maxImageSide = 2000;
/** Providers take 5 MB of base64, which makes four characters of three bytes; some room is left. */
export const maxImageBytes = Math.floor((4.5 * 1024 * 1024 * 3) / 4);
