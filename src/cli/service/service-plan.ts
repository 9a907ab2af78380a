/** What a service file is made from, and where it goes. One shape for systemd and launchd. */
export interface ServiceFacts {
  /** Tells several moms of one account apart. */
  name: string;
  /** Absolute, all of them. */
  nodePath: string;
  programPath: string;
  dataDir: string;
  /** Where programs are looked for: services start with hardly any. Undefined: the system's own. */
  path: string | undefined;
}

export interface ServicePlan {
  manager: "systemd" | "launchd";
  filePath: string;
  text: string;
  /** The part of it that says what is started. */
  command: string;
  /** What else belongs to it and goes with it: links that the manager made. */
  otherPaths: string[];
  /** What a person runs, in order. */
  enable: string[];
  disable: string[];
  /** Worth knowing. */
  notes: string[];
}

/** Files without it are somebody else's and left alone. */
export const marker = "Made by `mom service install`";
