/**
 * A real container engine for tests, with an image that needs no registry: empty folders, and the host's own /usr mounted
 * into it. Podman keeps everything of it in a temporary folder; docker has no such way, so there the image is removed.
 */
import { execFile } from "node:child_process";
import { access, chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSystemClock } from "../../src/base/clock.ts";
import type { Executor } from "../../src/contracts/sandbox.ts";
import { createDockerExecutor, loadPrograms, type SandboxConfig, sandboxConfig } from "../../src/sandbox/index.ts";
import { silentLog } from "../fakes/log.ts";

const run = promisify(execFile);

/** What a test sets beside the engine and its image. */
export type DockerSettings = Partial<SandboxConfig["docker"]>;

export interface TestEngine {
  name: "docker" | "podman";
  image: string;
  engineArgs: { global: string[]; run: string[] };
  /** Scopes need this for the image to have programs. */
  readOnly: string[];
  call(...args: string[]): Promise<string>;
  createExecutor(
    settings: DockerSettings,
    instance: string,
    environment?: Record<string, string | undefined>,
  ): Promise<Executor>;
  close(): Promise<void>;
}

const image = "localhost/mom-test:1";
/** Set in the image; programs must not see it. */
export const imageVariable = "MOM_TEST_IMAGE_KEY";
// An engine sets limits higher than it may where its own are low, as in a sandboxed CI.
const ulimits = ["--ulimit=nproc=4096:4096"];

/** The first engine that can start a container here, or why none can. */
export async function createTestEngine(): Promise<TestEngine | { skip: string }> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mom-engine-")));
  const problems: string[] = [];
  for (const [name, global] of await listCandidates(dir)) {
    const engine = buildTestEngine(name, global, dir);
    try {
      await engine.call("import", `--change=ENV ${imageVariable}=image`, await buildImageFile(dir), image);
      await engine.call(
        ...["run", "--rm", "--network=none", ...ulimits, "--ulimit=nofile=4096:4096"],
        ...["--volume=/usr:/usr:ro", image, "true"],
      );
      return engine;
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message.trim() : error}`);
    }
  }
  await removeStorage(dir);
  return { skip: `no container engine works here (${problems.join("; ")})` };
}

/** Podman as root first: it needs no service. Its default runtime refuses mixed cgroup versions, runc does not. */
async function listCandidates(dir: string): Promise<["docker" | "podman", string[]][]> {
  const storage = [`--root=${dir}/root`, `--runroot=${dir}/run`];
  const hasRunc = await Promise.any(["/usr/sbin/runc", "/usr/bin/runc"].map((path) => access(path))).then(
    () => true,
    () => false,
  );
  return [
    ...(hasRunc ? [["podman", [...storage, "--runtime=runc"]] satisfies ["podman", string[]]] : []),
    ["podman", storage],
    ["docker", []],
  ];
}

function buildTestEngine(name: "docker" | "podman", global: string[], dir: string): TestEngine {
  const call = async (...args: string[]) => (await run(name, [...global, ...args], { timeout: 60_000 })).stdout;
  const engineArgs = { global, run: ulimits };
  return {
    name,
    image,
    engineArgs,
    readOnly: ["/usr"],
    call,
    async createExecutor(settings, instance, environment = process.env) {
      const config = sandboxConfig.parse({ docker: { engine: name, image, ...settings } });
      const base = { clock: createSystemClock(), log: silentLog, programs: await loadPrograms() };
      return createDockerExecutor({ ...base, environment, instance, engineArgs }, config);
    },
    async close() {
      await (name === "docker" ? call("image", "rm", "--force", image) : call("rm", "--all", "--force"));
      await removeStorage(dir);
    },
  };
}

/** Podman mounts its storage onto itself, and its clearing up behind the last container may still go on. */
async function removeStorage(dir: string): Promise<void> {
  await run("umount", ["--lazy", join(dir, "root/overlay")]).catch(() => undefined);
  await rm(dir, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
}

async function buildImageFile(dir: string): Promise<string> {
  const root = join(dir, "image");
  const file = join(dir, "image.tar");
  await rm(root, { recursive: true, force: true });
  for (const name of ["usr", "tmp", "proc", "sys", "dev", "run", "etc", "var"])
    await mkdir(join(root, name), { recursive: true });
  for (const name of ["bin", "sbin", "lib", "lib64"]) await symlink(`usr/${name}`, join(root, name));
  await chmod(join(root, "tmp"), 0o1777);
  await writeFile(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
  await run("tar", ["--create", "--owner=0", "--group=0", `--file=${file}`, `--directory=${root}`, "."]);
  return file;
}
