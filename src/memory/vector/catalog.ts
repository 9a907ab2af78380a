/** Loads sqlite-vec when somebody has chosen it: it is an optional package with a native library. */
export const loadSqliteVec = () => import("sqlite-vec");
