/** Finds a browser of the Chromium family: the configured one, else on PATH, else where the system keeps programs. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ToolError } from "../../base/errors.ts";

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "brave-browser",
  "microsoft-edge",
];

const macPrograms = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

export interface ChromiumPlaces {
  /** Absolute; the operator's choice. Nothing else is looked at then. */
  executablePath: string | undefined;
  /** The `PATH` variable. */
  path: string;
  platform: NodeJS.Platform;
}

/** Absolute path of the program. Throws `BROWSER_MISSING`. */
export async function findChromium({ executablePath, path, platform }: ChromiumPlaces): Promise<string> {
  if (executablePath !== undefined) {
    if (await isProgram(executablePath)) return executablePath;
    throw new ToolError("BROWSER_MISSING", `"${executablePath}" (tools.browser.executablePath) is no program`, {
      hint: "Correct tools.browser.executablePath, or remove it so that Chromium is looked for.",
    });
  }
  // A relative entry would depend on where mom was started.
  const folders = path.split(":").filter(isAbsolute);
  const candidates = folders.flatMap((folder) => names.map((name) => ({ name, file: join(folder, name) })));
  candidates.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  const files = [...candidates.map(({ file }) => file), ...(platform === "darwin" ? macPrograms : [])];
  for (const file of files) if (await isProgram(file)) return file;
  throw new ToolError("BROWSER_MISSING", "No Chromium or Chrome was found on this machine", {
    hint: `Install one (${platform === "darwin" ? "brew install --cask chromium" : "apt-get install chromium, dnf install chromium, apk add chromium"}), or name it under tools.browser.executablePath.`,
  });
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
