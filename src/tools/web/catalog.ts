/**
 * Loads what the web tools need when a call first needs it: the HTTP client, and, in the threads, the page and PDF readers.
 * CommonJS packages are taken by their default export, the only one that is there both in the source and in the bundle.
 */
export const loadHttpClient = async () => {
  const { default: client } = await import("undici");
  return client;
};

export const loadPageReader = async () => {
  const [{ parseHTML }, { default: readability }, { default: TurndownService }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("turndown"),
  ]);
  const { Readability, isProbablyReaderable } = readability;
  return { parseHTML, Readability, isProbablyReaderable, TurndownService };
};

export const loadPdfReader = () => import("unpdf");
