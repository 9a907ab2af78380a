/** A second process that uses the auth profiles of a file: `rotate <path> <model>…`, or `login <path> <token endpoint>`. */
import { createSystemClock } from "../../src/base/clock.ts";
import { createProfilePool } from "../../src/models/auth/profile-pool.ts";
import { createAuthFile } from "../../src/store/index.ts";
import { silentLog as log } from "./log.ts";

const [task, path = "", ...rest] = process.argv.slice(2);
const clock = createSystemClock();
const store = createAuthFile({ path, clock, log });
const pool = createProfilePool({
  store,
  clock,
  log,
  order: {},
  implicitOf: () => [],
  loadFlow: async () => ({
    warning: "",
    login: () => Promise.reject(new Error("not here")),
    async refresh(credential) {
      const response = await fetch(rest[0] ?? "", { method: "POST", body: String(credential.refresh) });
      return { type: "refreshed", credential: { ...credential, ...Object(await response.json()) } };
    },
  }),
});

async function rotate(model: string): Promise<string> {
  for (const profile of await pool.order({ provider: "p", model, preferred: "p:a" })) {
    pool.noteUse(profile);
    if (profile.id !== "p:a") {
      await pool.succeeded(profile, model, { isProbe: false });
      return profile.id;
    }
    await pool.failed(profile, { reason: "rate_limit", rule: "rotate", detail: "", message: "" }, model);
  }
  return "none";
}

if (task === "rotate") for (const model of rest) console.log(await rotate(model));
else {
  const [profile] = await pool.order({ provider: "p", model: "m" });
  const ready = profile && (await pool.prepare(profile));
  console.log(ready?.type === "ready" ? ready.credential.secret : "failed");
}
await pool.close();
