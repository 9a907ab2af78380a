/** `mom update` knows by the folder how mom came there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCliWorld } from "../../../test/fakes/cli-io.ts";
import { buildUpdateCommand, describeInstall } from "./update.ts";

test("the command fits the way it was installed", () => {
  const cases: [string, string[], RegExp][] = [
    ["/home/ann/my mom", ["/home/ann/my mom/.git"], /^git -C '\/home\/ann\/my mom' pull --ff-only$/],
    ["/usr/lib/node_modules/mom", [], /^npm install --global mom@latest$/],
    [
      "/home/ann/app/node_modules/mom",
      ["/home/ann/app/package.json"],
      /^npm --prefix \/home\/ann\/app install mom@latest$/,
    ],
    ["/home/ann/.npm/_npx/a1/node_modules/mom", ["/home/ann/.npm/_npx/a1/package.json"], /^npx mom@latest/],
    ["/home/ann/.local/share/pnpm/global/5/node_modules/mom", [], /^pnpm add --global mom@latest$/],
    ["/opt/mom", [], /^unpack /],
  ];
  for (const [dir, there, expected] of cases) {
    assert.match(describeInstall(dir, (path) => there.includes(path)).commands[0] ?? "", expected, dir);
  }
});

test("it says which one this is, and changes nothing", async (t) => {
  const world = await createCliWorld({ update: buildUpdateCommand });
  t.after(() => world.close());
  const { code, out } = await world.run(["update"]);
  assert.equal(code, 0);
  assert.match(out, /^mom \d+\.\d+\.\d+ in \//);
  const { how, commands, running } = JSON.parse((await world.run(["update", "--json"])).out);
  assert.ok(typeof how === "string" && commands.length > 0 && running === false);
});
