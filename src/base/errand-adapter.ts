/** The name under which errands (`src/contracts/errand.ts`) are in the inbox. No adapter may be called so. */
export const errandAdapter = "errands";
