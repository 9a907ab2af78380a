/** Starts Chromium on an agent's profile, behind the guard proxy, with every way around the proxy closed. */
import type { BrowserContext } from "playwright-core";
import type { AddressGuard } from "../../base/address-guard.ts";
import { errorText, ToolError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { pickBrowserUser } from "./browser-user.ts";
import { loadPlaywright } from "./catalog.ts";
import type { BrowserConfig } from "./config.ts";
import { findChromium } from "./find-chromium.ts";
import { createGuardProxy, type GuardProxy } from "./guard-proxy.ts";
import { ensureLauncher, ensureProfileFolder, type ProfileFolder, releaseProfile } from "./profile-folder.ts";

export interface LaunchDependencies {
  clock: Clock;
  log: Log;
  guard: AddressGuard;
  /** Profiles lie in `<stateDir>/browser`. Absolute. */
  stateDir: string;
  /** Of mom itself; only what a browser needs of it is passed on. */
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** Of mom's process; undefined where the system has none. */
  uid: number | undefined;
}

export interface Launched {
  context: BrowserContext;
  proxy: GuardProxy;
  folder: ProfileFolder;
  program: string;
  version: string;
  /** Whom it runs as, where that is not mom's own user. */
  uid: number | undefined;
  /** Is Chromium's own sandbox on? */
  isSandboxed: boolean;
  /** Ends it, if need be by force. May be called twice. */
  close(): Promise<void>;
}

const startTimeoutMs = 30_000;
const closeTimeoutMs = 5_000;
const noSandbox = /No usable sandbox|sandboxing failed|new namespace|setuid sandbox|credentials\.cc/i;
/** Kept off, so that a page can open windows only when something was clicked, and cannot flood the browser. */
const unwantedDefaults = ["--disable-popup-blocking", "--disable-ipc-flooding-protection"];
const flags = [
  // Names are looked up by the proxy alone, and no address is reached without it.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--disable-quic",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--dns-prefetch-disable",
  "--no-pings",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--disk-cache-size=52428800",
  // Chromium asks there for accounts of its own accord; nobody has one.
  "--gaia-url=https://127.0.0.1",
];

export async function launchChromium(
  dependencies: LaunchDependencies,
  config: BrowserConfig,
  agentId: string,
): Promise<Launched> {
  const { clock, guard, stateDir, environment, platform, log } = dependencies;
  const path = environment["PATH"] ?? "";
  const program = await findChromium({ executablePath: config.executablePath, path, platform });
  const uid = pickBrowserUser(platform, dependencies.uid);
  const folder = await ensureProfileFolder(`${stateDir}/browser`, agentId, uid);
  await releaseProfile(folder, clock);
  const executablePath = await ensureLauncher(folder, program, uid);
  const proxy = await createGuardProxy(guard);
  const env = buildEnvironment(environment, folder, config.headless);
  const start = (isSandboxed: boolean) => startContext({ config, folder, proxy, executablePath, env, isSandboxed });
  let isSandboxed = true;
  try {
    const context = await start(true).catch((error: unknown) => {
      // Another user than root is all that is left to confine it; people who are not root keep the sandbox or fix it.
      if (uid === undefined || !noSandbox.test(errorText(error))) throw error;
      log.warn("Chromium's own sandbox does not work here; it is started without", { agent: agentId });
      isSandboxed = false;
      return start(false);
    });
    const version = context.browser()?.version() ?? "";
    const close = createClose(context, proxy, folder, clock);
    return { context, proxy, folder, program, version, uid, isSandboxed, close };
  } catch (error) {
    await proxy.close();
    throw toStartError(error, program, uid);
  }
}

interface Start {
  config: BrowserConfig;
  folder: ProfileFolder;
  proxy: GuardProxy;
  executablePath: string;
  env: Record<string, string>;
  isSandboxed: boolean;
}

async function startContext({ config, folder, proxy, executablePath, env, isSandboxed }: Start) {
  const { chromium } = await loadPlaywright();
  const context = await chromium.launchPersistentContext(folder.profile, {
    executablePath,
    headless: config.headless,
    chromiumSandbox: isSandboxed,
    args: flags,
    ignoreDefaultArgs: unwantedDefaults,
    env,
    proxy: { server: proxy.server, username: proxy.username, password: proxy.password, bypass: "<-loopback>" },
    downloadsPath: folder.downloads,
    acceptDownloads: true,
    serviceWorkers: "block",
    viewport: { width: 1280, height: 800 },
    timeout: startTimeoutMs,
    // Mom's own end is orderly and closes the browser itself.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  try {
    // Nothing is granted, and so every prompt is answered with no.
    await context.grantPermissions([]);
    await context.route(/^(?!https?:|data:|blob:|about:)/i, (route) => route.abort("blockedbyclient"));
    return context;
  } catch (error) {
    await context.close().catch(() => undefined);
    throw error;
  }
}

/** Keys and tokens in mom's environment are no business of a browser. */
function buildEnvironment(
  environment: LaunchDependencies["environment"],
  folder: ProfileFolder,
  isHeadless: boolean,
): Record<string, string> {
  const screen = isHeadless ? [] : ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"];
  const passed = ["PATH", "LANG", "LC_ALL", "TZ", ...screen].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(passed),
    HOME: folder.home,
    TMPDIR: folder.home,
    // Without it Chromium starts a message bus of its own.
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
  };
}

function createClose(context: BrowserContext, proxy: GuardProxy, folder: ProfileFolder, clock: Clock) {
  const close = async () => {
    await within(clock, closeTimeoutMs, context.close(), () => undefined);
    await proxy.close();
    await releaseProfile(folder, clock);
  };
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}

function toStartError(cause: unknown, program: string, uid: number | undefined): unknown {
  if (cause instanceof ToolError) return cause;
  const text = errorText(cause);
  if (uid === undefined && noSandbox.test(text)) {
    return new ToolError("BROWSER_SANDBOX", `${program} cannot set up its own sandbox, and is not run without`, {
      hint: "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu.",
      cause,
    });
  }
  const asUser =
    "As root mom starts it as another user with setpriv and unshare (util-linux), which some containers forbid: run mom as an ordinary user there.";
  return new ToolError("BROWSER_START_FAILED", `${program} did not start`, {
    hint: `Start it by hand to see why; mom doctor tries it too. ${uid === undefined ? "" : asUser}`.trim(),
    cause,
  });
}
