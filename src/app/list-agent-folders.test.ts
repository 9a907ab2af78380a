import assert from "node:assert/strict";
import { test } from "node:test";
import { buildLayout } from "../store/index.ts";
import { configSchema } from "./config-schema.ts";
import { listAgentFolders } from "./list-agent-folders.ts";

test("knows every folder that some agent can write, each once", () => {
  const config = configSchema.parse({
    agents: {
      main: { workDir: "/srv/code" },
      dev: {},
      ops: { workspace: "ops", workDir: "ops" },
    },
    sandbox: { roots: ["/srv/code", "/srv/extra"] },
  });
  assert.deepEqual(listAgentFolders(buildLayout("/data"), config), [
    "/data/workspace",
    "/srv/code",
    "/data/agents/dev/workspace",
    "/data/ops",
    "/srv/extra",
  ]);
  assert.deepEqual(listAgentFolders(buildLayout("/data"), configSchema.parse({})), ["/data/workspace"]);
});
