/** The first of many rows, and a button for more: a thousand rows at once make a slow page. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

interface LongListProps<Row> {
  rows: readonly Row[];
  atOnce?: number;
  children: (rows: readonly Row[]) => ComponentChildren;
}

export function LongList<Row>({ rows, atOnce = 100, children }: LongListProps<Row>) {
  const [most, setMost] = useState(atOnce);
  return (
    <>
      {children(rows.slice(0, most))}
      {rows.length > most && (
        <div class="long-list-more">
          <span class="muted">
            {most} of {rows.length}
          </span>
          <Button size="small" onClick={() => setMost(most + atOnce)}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
