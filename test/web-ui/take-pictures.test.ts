/** The pictures of the README, taken anew with `MOM_PICTURES=docs/images`. Skipped otherwise. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { noChromium } from "../fakes/browser-stage.ts";
import { openUi, tell } from "./stage.ts";

const folder = process.env["MOM_PICTURES"];
const skip = noChromium || (folder === undefined && "MOM_PICTURES names no folder");

const answer = `The three largest are all pictures of the summer:

| file | size | from |
| --- | --- | --- |
| \`lake-panorama.tif\` | 84 MB | August |
| \`harvest.mov\` | 61 MB | September |
| \`hut.tif\` | 40 MB | July |

I can keep them at a quarter of the size:

\`\`\`bash
for f in *.tif; do convert "$f" -quality 82 "\${f%.tif}.jpg"; done
\`\`\`

Shall I?`;

test("pictures for the README", { skip, timeout: 120_000 }, async (t) => {
  const target = resolve(folder ?? "");
  await mkdir(target, { recursive: true });
  const { page, world, app, openPage } = await openUi(t, {
    context: { viewport: { width: 1180, height: 760 }, deviceScaleFactor: 1 },
    world: {
      config: { gateway: { port: 0 }, sandbox: { mode: "host" }, tools: { exec: { approvals: "ask" } } },
      respond(request) {
        const messages = request.body["messages"] as { role: string; content: unknown }[];
        const last = messages.at(-1);
        if (last?.role === "tool") return { type: "answer", text: answer };
        const isCommand = JSON.stringify(last?.content).includes("shrink");
        const call = isCommand
          ? {
              name: "bash",
              arguments: { command: 'for f in *.tif; do convert "$f" -quality 82 "${f%.tif}.jpg"; done' },
            }
          : { name: "ls", arguments: { path: "pictures" } };
        return { type: "answer", toolCalls: [call] };
      },
    },
  });
  const pictures = join(world.dataDir, "workspace", "pictures");
  await mkdir(pictures);
  for (const name of ["lake-panorama.tif", "harvest.mov", "hut.tif"]) await writeFile(join(pictures, name), "x");
  await tell(page, "Which of my pictures take the most room?");
  await page.getByText("Shall I?", { exact: true }).waitFor();
  await page.mouse.move(700, 20);
  await page.screenshot({ path: join(target, "chat.png") });
  const dark = await openPage({ viewport: { width: 1180, height: 760 }, colorScheme: "dark" });
  await tell(dark, "Yes, shrink them.");
  await dark.getByRole("button", { name: /once/i }).click({ trial: true });
  // Where this test happens to run is nobody's business.
  await dark.getByText(world.dataDir).evaluate((place) => {
    place.textContent = "~/data/workspace";
  });
  await dark.screenshot({ path: join(target, "approval.png") });
  await dark.goto(`${app.url}/#/config`);
  await dark.getByText("Which tools the model may use").waitFor();
  await dark.screenshot({ path: join(target, "config.png") });
});
