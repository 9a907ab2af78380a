/** What a running mom loads only when somebody asks her how she is. */
export const loadExamine = async () => (await import("./examine.ts")).examine;
