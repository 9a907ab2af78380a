import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createComplaints } from "./complaints.ts";

test("a problem is said once per file, another problem or file again", () => {
  const log = createRecordingLog();
  const complain = createComplaints(log);
  for (let n = 0; n < 3; n++) {
    complain("/w/a.md", "it is empty");
    complain("/w/a.md", "it is not UTF-8 text");
    complain("/w/b.md", "it is empty");
  }
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields["path"], fields["problem"]]),
    [
      ["warn", "/w/a.md", "it is empty"],
      ["warn", "/w/a.md", "it is not UTF-8 text"],
      ["warn", "/w/b.md", "it is empty"],
    ],
  );
});
