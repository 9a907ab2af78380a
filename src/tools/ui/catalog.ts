/** Loads the browser's driver when the first call needs it: it is the slowest import of all tools. */
export const loadPlaywright = () => import("playwright-core");
