/** All conversations; behind the address of one, that one. */
import { route } from "../router.ts";
import "../styles/page-parts.css";
import "../styles/sessions.css";
import { SessionDetail } from "./sessions/session-detail.tsx";
import { SessionList } from "./sessions/session-list.tsx";

export function Page() {
  const key = route.value.arg;
  return key === undefined ? <SessionList /> : <SessionDetail key={key} sessionKey={key} />;
}
