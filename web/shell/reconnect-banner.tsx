/** The connection is gone; the page stays and comes back by itself. */
import { reconnect, state } from "../connection.ts";
import { Button, Icon } from "../ui/index.ts";
import { useNow } from "./use-now.ts";

export function ReconnectBanner() {
  const now = useNow(1_000);
  const shown = state.value;
  if (shown.type !== "lost") return <div role="status" />;
  const seconds = Math.max(0, Math.ceil((shown.retryAt - now) / 1_000));
  return (
    <div class="banner" role="status">
      <Icon name="warning" size={18} />
      <span class="banner-text">
        {shown.error?.message.replace(/\.?$/, ".") ?? "No connection to mom."}{" "}
        <span aria-hidden="true">{seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again…"}</span>
      </span>
      <Button size="small" onClick={reconnect}>
        Try now
      </Button>
    </div>
  );
}
