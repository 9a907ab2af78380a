/** Loads a custom tool's module. Its code runs here, in mom's own process: it is the operator's own. */
export const importTool = async (url: string): Promise<unknown> => (await import(url)).default;
