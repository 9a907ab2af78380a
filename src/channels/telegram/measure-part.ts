/**
 * How long a part can get in any form. Escapes and fences make Markdown itself the longest, except where the other forms draw
 * something with characters: tables are aligned, and rules are wider. Counted without rendering, because it is asked often;
 * rather too much than too little.
 */
export function measurePart(part: string): number {
  let length = part.length;
  let table: string[] = [];
  for (const line of part.split("\n")) {
    const bare = line.replace(/^[ >]*(?:(?:[-*]|\d+\.) )?/, "");
    if (bare.startsWith("|")) table.push(bare);
    else {
      length += growthOf(table);
      table = [];
    }
    if (/^(?:-{3}|\*{3})$/.test(bare)) length += ruleGrowth;
  }
  return length + growthOf(table);
}

/** Ten characters instead of three. */
const ruleGrowth = 7;
const separator = " │ ".length;

/** By how much a drawn table is longer than its Markdown: as columns, or as one `header: value` line per cell. */
function growthOf(table: string[]): number {
  if (table.length < 2) return 0;
  const rows = table.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => toWidth(cell.trim())),
  );
  const header = rows[0] ?? [];
  const widest = header.map((_, column) => Math.max(...rows.map((row) => row[column] ?? 0)));
  const asColumns = rows.length * sum(widest.map((width) => width + separator));
  const asLines = rows.length * sum(header.map((width) => width + 3)) + sum(rows.flat());
  const written = sum(table.map((line) => line.length + 1));
  return Math.max(0, Math.max(asColumns, asLines) - written);
}

/** Characters that are wider than others make their column wider. */
const toWidth = (cell: string): number => (/^[ -~]*$/.test(cell) ? cell.length : 2 * cell.length);
const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
