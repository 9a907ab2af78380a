/** Sizes for people and models: `512 B`, `1.5 KB`, `20 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = "B";
  for (const next of units) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`;
}
