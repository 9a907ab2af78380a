/** How much a tool may say to the model (spec 5.2). */
export const maxResultLines = 2000;
export const maxResultBytes = 50 * 1024;
/** Characters. */
export const maxGrepLineLength = 500;
