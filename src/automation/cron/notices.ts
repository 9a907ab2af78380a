/** What people are told of a job without a model: that it keeps failing, that its time was missed, that it failed for good. */
import type { CronJob } from "../../contracts/cron.ts";
import type { ErrandPorts } from "../../contracts/errand-ports.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { NewDelivery } from "../../contracts/store.ts";
import { failuresBeforeNotice } from "./job.ts";

type NoticePorts = Pick<ErrandPorts, "ownerOf" | "planPosts" | "principalOf">;
type Named = Pick<CronJob, "id" | "name" | "agentId" | "home">;

/** To the owner where they last spoke; where nobody is one, to the job's chat. Once per row of failures: the id is its third turn's. */
export async function planFailingNotice(
  ports: NoticePorts,
  job: Named,
  failed: { turnId: TurnId; error: string },
): Promise<NewDelivery[]> {
  const text = [
    `The job ${toCode(job.name)} (${job.id}) has failed ${failuresBeforeNotice} times in a row. I try it less often from now on, and say this only once.`,
    `The last error: ${toCode(failed.error)}`,
    `\`/cron runs ${job.id}\` shows more.`,
  ].join("\n");
  const posts = ports.planPosts(await findOwner(ports, job), text, `cron:${job.id}:failing:${failed.turnId}`);
  return posts.length > 0 ? posts : ports.planPosts(job.home.channel, text, `cron:${job.id}:failing:${failed.turnId}`);
}

async function findOwner(ports: NoticePorts, { agentId, home }: Named): Promise<ChannelRef> {
  const place = { channel: home.channel, sender: home.askedBy };
  const answering = agentId ?? (await ports.principalOf(place))?.agentId;
  const owner = answering === undefined ? undefined : await ports.ownerOf(answering);
  return owner?.channel ?? home.channel;
}

/** To who asked, while they may still be spoken to. */
export async function planMissedNotice(ports: NoticePorts, job: CronJob, dueAt: number): Promise<NewDelivery[]> {
  const { home, payload } = job;
  if (!(await ports.principalOf({ channel: home.channel, sender: home.askedBy }))) return [];
  const text = payload.kind === "systemEvent" ? payload.text : payload.message;
  return ports.planPosts(
    home.channel,
    `I missed a reminder: ${toCode(text)} was due at ${new Date(dueAt).toISOString()}, and I could not serve it until now. Set it again if it still matters.`,
    `cron:${job.id}:missed:${dueAt}`,
  );
}

/** One line in a code span that it cannot end. */
export function toCode(text: string): string {
  const line = text.trim().replace(/\s+/g, " ").replaceAll("`", "'");
  return `\`${line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line || "(none)"}\``;
}
