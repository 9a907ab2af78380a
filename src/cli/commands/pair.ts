/**
 * `mom pair`: lets people in who wrote directly and were given a code (spec 2.4). Works on the store beside a running mom, who
 * asks it at their next message. Who can run this owns the data, so it is the operator who approves.
 */
import { Command } from "commander";
import { configSchema } from "../../app/index.ts";
import { StoreError } from "../../base/errors.ts";
import { formatMoment } from "../../base/format-values.ts";
import { pickNearest } from "../../base/nearest.ts";
import { toVisible } from "../../base/visible-text.ts";
import { accessRulesOf } from "../../channels/index.ts";
import { loadConfig } from "../../config/index.ts";
import type { Pairing } from "../../contracts/store.ts";
import { dataOption } from "../data-dir.ts";
import { type Column, formatTable } from "../format-table.ts";
import type { CliIo } from "../io.ts";
import { pickOperator } from "../pick-operator.ts";
import { note, printJson, printLines } from "../print.ts";
import { withGuestStore } from "../with-guest-store.ts";

interface Options {
  data?: string;
  json?: true;
}

export function buildPairCommand(io: CliIo): Command {
  const pair = new Command("pair").description("Lets in people who wrote to mom directly and were given a code.");
  const add = (name: string, description: string) =>
    pair
      .command(name)
      .description(description)
      .option("--json", "print JSON")
      .option(...dataOption);
  add("list", "list who waits with a code, and who was let in").action((options: Options) => list(io, options));
  add("approve", "let in the person who has this code: directly, not in groups")
    .argument("<code...>", "as they tell it; case and spaces do not matter")
    .action((words: string[], options: Options) => approve(io, options, words.join("")));
  add("revoke", "take the trust away, or a code that waits")
    .argument("<adapter>", "the adapter's name in the config")
    .argument("<sender-id>", "as `mom pair list` prints it")
    .action((adapter: string, senderId: string, options: Options) => revoke(io, options, adapter, senderId));
  return pair;
}

async function list(io: CliIo, { data, json }: Options): Promise<void> {
  await withGuestStore(io, data, async ({ store }) => {
    const found = (await store?.pairings.list()) ?? [];
    if (json) return printJson(io, found);
    if (found.length === 0) return note(io, "nobody waits with a code, and nobody was let in by one");
    printLines(io, formatTable(columns, found));
  });
}

const columns: Column<Pairing>[] = [
  { title: "CODE", toText: ({ code }) => code ?? "-" },
  { title: "ADAPTER", toText: ({ adapter }) => adapter },
  { title: "SENDER", toText: ({ senderId }) => toVisible(senderId).text },
  // Whoever asks to be let in chooses their name, and may choose one that looks like another's.
  { title: "CALLS THEMSELVES", toText: ({ username }) => toVisible(username).text },
  { title: "STATE", toText: formatState },
];

function formatState({ state, expiresAt, approvedAt, approvedBy }: Pairing): string {
  if (state === "pending") return `waits until ${formatMoment(expiresAt ?? Number.NaN)}`;
  return `let in by ${approvedBy} at ${formatMoment(approvedAt ?? Number.NaN)}`;
}

async function approve(io: CliIo, { data, json }: Options, code: string): Promise<void> {
  await withGuestStore(io, data, async ({ store }) => {
    const answer = await store?.pairings.approve(code, pickOperator());
    if (answer?.type !== "approved") {
      throw new StoreError("PAIRING_CODE_UNKNOWN", `Nobody waits with the code "${code}".`, {
        hint: "A code holds for an hour and is good once; `mom pair list` shows those that wait. Who writes again gets a new one.",
      });
    }
    const { pairing } = answer;
    if (json) return printJson(io, pairing);
    const { senderId, username, adapter } = pairing;
    printLines(io, [
      `${toVisible(senderId).text} (${toVisible(username).text}) may write directly on ${adapter} from now on; what they wrote before is not answered`,
    ]);
  });
}

async function revoke(io: CliIo, { data, json }: Options, adapter: string, senderId: string): Promise<void> {
  await withGuestStore(io, data, async ({ store, dataDir }) => {
    const known = (await store?.pairings.list()) ?? [];
    if (!(await store?.pairings.revoke(adapter, senderId))) throw buildUnknown(known, adapter, senderId);
    const isStillIn = await isLetInByConfig(io, dataDir, adapter, senderId);
    if (json) return printJson(io, { adapter, senderId, revoked: true, isLetInByConfig: isStillIn });
    printLines(io, [`what ${senderId} had on ${adapter} is gone`]);
    if (isStillIn) note(io, `the config itself still lets them in: see adapters.${adapter}.dm and admins`);
  });
}

function buildUnknown(known: readonly Pairing[], adapter: string, senderId: string): StoreError {
  const toWords = (pairing: Pick<Pairing, "adapter" | "senderId">) => `${pairing.adapter} ${pairing.senderId}`;
  const near = pickNearest(toWords({ adapter, senderId }), known.map(toWords));
  const hint = near === undefined ? "`mom pair list` shows who was." : `Did you mean \`mom pair revoke ${near}\`?`;
  return new StoreError("PAIRING_UNKNOWN", `Nobody with the id "${senderId}" was let in by a code on "${adapter}".`, {
    hint: `${hint} Those whom the config names are under adapters.${adapter}.dm.`,
  });
}

/** A config that cannot be read now says nothing; taking trust away must work all the same. */
async function isLetInByConfig(io: CliIo, dataDir: string, name: string, senderId: string): Promise<boolean> {
  const loaded = await loadConfig(dataDir, { schema: configSchema, env: io.env }).catch(() => undefined);
  const adapter = loaded?.type === "ok" && Object.hasOwn(loaded.config.adapters, name) && loaded.config.adapters[name];
  if (!adapter) return false;
  const { admins, dm } = accessRulesOf(adapter);
  return admins.includes(senderId) || dm === "everyone" || (dm !== "none" && dm.includes(senderId));
}
