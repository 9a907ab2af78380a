/** What mom does on her own: jobs and heartbeats; behind the address of a job, that one. */
import { route } from "../router.ts";
import "../styles/page-parts.css";
import "../styles/automation.css";
import { JobDetail } from "./cron/job-detail.tsx";
import { JobList } from "./cron/job-list.tsx";

export function Page() {
  const id = route.value.arg;
  return id === undefined ? <JobList /> : <JobDetail key={id} id={id} />;
}
