/** Says whether docker mode can run here, and what to do when it cannot. Asked by the doctor, and when a start fails. */
import type { Executor } from "../contracts/sandbox.ts";
import type { DockerConfig } from "./docker-config.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { inspectContainer } from "./docker-inspect.ts";

type CheckResult = Awaited<ReturnType<Executor["check"]>>;

export function buildNoEngine(engine: DockerConfig["engine"], problem: string): CheckResult & { hint: string } {
  const wanted = engine === "auto" ? "Neither docker nor podman answers" : `${engine} does not answer`;
  return {
    ok: false,
    detail: `${wanted} (${problem})`,
    hint: "Install docker or podman, start its service, and let mom's user use it; or set sandbox.mode to bwrap.",
  };
}

export async function checkDocker(engine: DockerEngine, config: DockerConfig): Promise<CheckResult> {
  return config.container === undefined ? checkImage(engine, config.image) : checkContainer(engine, config.container);
}

async function checkImage(engine: DockerEngine, image: string): Promise<CheckResult> {
  const { exitCode, stderr } = await engine.call(["image", "inspect", "--format", "{{.Id}}", image]);
  if (exitCode === 0) return { ok: true, detail: `${engine.title}, image ${image}` };
  return {
    ok: false,
    detail: `${engine.title} has no image ${image} (${stderr})`,
    hint: `Get it with "${engine.name} pull ${image}", or name another one in sandbox.docker.image.`,
  };
}

async function checkContainer(engine: DockerEngine, name: string): Promise<CheckResult> {
  const found = await inspectContainer(engine, name);
  if (found === undefined) {
    return {
      ok: false,
      detail: `${engine.title} has no container ${name}`,
      hint: `Start one with "${engine.name} run -d --name ${name} -v <workspace>:/workspace …", or leave sandbox.docker.container out.`,
    };
  }
  if (!found.isRunning) {
    const hint = `Start it with "${engine.name} start ${name}".`;
    return { ok: false, detail: `Container ${name} does not run`, hint };
  }
  const limits = "its user, limits and mounts are what you gave it";
  const network = found.hasNetwork ? "; it has a network, which mom cannot close for single sessions" : "; no network";
  return { ok: true, detail: `${engine.title}, container ${name}: ${limits}${network}` };
}
