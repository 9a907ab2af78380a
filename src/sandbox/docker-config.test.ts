import assert from "node:assert/strict";
import { it } from "node:test";
import { dockerConfig } from "./docker-config.ts";

it("starts containers of its own by default, with limits", () => {
  assert.deepEqual(dockerConfig.parse({}), {
    engine: "auto",
    image: "debian:bookworm-slim",
    memoryMb: 2048,
    cpus: 2,
    pidsLimit: 256,
    tmpMb: 256,
  });
});

it("takes no name that could be an option or a path of the command line", () => {
  for (const wrong of [
    { container: "--privileged" },
    { container: "a b" },
    { image: "-v" },
    { image: "" },
    { extraArgs: [] },
  ]) {
    assert.equal(dockerConfig.safeParse(wrong).success, false, JSON.stringify(wrong));
  }
  const image = "ghcr.io/Some/image:1.2@sha256:abc";
  assert.equal(dockerConfig.parse({ image, container: "work_1.x" }).image, image);
});
