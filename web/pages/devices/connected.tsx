/** Who is connected to the gateway now. */
import type { Presence } from "../../../src/gateway/protocol/index.ts";
import { can, server, useCall } from "../../connection.ts";
import { Await, Badge, type Column, EmptyState, Table, When } from "../../ui/index.ts";

const modes: Record<Presence["mode"], string> = { web: "browser", cli: "terminal", app: "program" };

const columns: readonly Column<Presence>[] = [
  {
    key: "name",
    label: "Name",
    isWide: true,
    render: ({ name, connId }) => (
      <span>
        {name} {connId === server.value?.connId && <Badge tone="accent">this page</Badge>}
      </span>
    ),
  },
  { key: "mode", label: "With", render: ({ mode }) => modes[mode] },
  { key: "platform", label: "Platform", render: ({ platform }) => <span class="keep">{platform}</span> },
  { key: "role", label: "Role", render: ({ role }) => role },
  { key: "from", label: "From", render: ({ address }) => <span class="number">{address}</span> },
  { key: "since", label: "Since", render: ({ since }) => <When at={since} /> },
];

export function Connected() {
  const presence = useCall("system-presence", can("system-presence") ? {} : undefined, { refreshOn: ["presence"] });
  if (!can("system-presence")) return null;
  return (
    <section class="stack" aria-labelledby="connected">
      <h2 id="connected">Connected now</h2>
      <Await of={presence}>
        {({ clients }) =>
          clients.length === 0 ? (
            <EmptyState icon="devices" title="Nobody" />
          ) : (
            <Table caption="Connected now" columns={columns} rows={clients} keyOf={({ connId }) => connId} />
          )
        }
      </Await>
    </section>
  );
}
