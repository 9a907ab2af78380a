/** What a check of `mom doctor` found. */
export interface Finding {
  /** What was looked at, one or two words. */
  check: string;
  level: "ok" | "warn" | "fail";
  detail: string;
  /** What to do; on everything that is not ok. */
  fix?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, level: "ok", detail });
export const warn = (check: string, detail: string, fix: string): Finding => ({ check, level: "warn", detail, fix });
export const fail = (check: string, detail: string, fix: string): Finding => ({ check, level: "fail", detail, fix });
