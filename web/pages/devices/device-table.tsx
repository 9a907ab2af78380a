/** The devices that are let in. */
import type { DeviceSummary } from "../../../src/gateway/protocol/index.ts";
import { call, identity } from "../../connection.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Badge, type Column, EmptyState, Table, When } from "../../ui/index.ts";
import { formatScopes } from "./scope-words.ts";

export function DeviceTable({ devices, onChanged }: { devices: readonly DeviceSummary[]; onChanged(): void }) {
  if (devices.length === 0) {
    return (
      <EmptyState icon="devices" title="No device is let in">
        Whoever holds the gateway's token can still connect.
      </EmptyState>
    );
  }
  const columns: Column<DeviceSummary>[] = [
    { key: "name", label: "Device", isWide: true, render: (device) => <Name device={device} /> },
    { key: "role", label: "Role", render: ({ role }) => role },
    { key: "may", label: "May", render: ({ role, scopes }) => <span class="keep">{formatScopes(role, scopes)}</span> },
    {
      key: "since",
      label: "Let in",
      render: ({ approvedAt, approvedBy }) => (
        <span title={`by ${approvedBy}`}>
          <When at={approvedAt} />
        </span>
      ),
    },
    {
      key: "seen",
      label: "Last seen",
      render: ({ isConnected, lastSeenAt }) =>
        isConnected ? (
          <Badge tone="good">connected</Badge>
        ) : lastSeenAt === undefined ? (
          "never"
        ) : (
          <When at={lastSeenAt} />
        ),
    },
    { key: "do", label: "Trust", render: (device) => <Revoke device={device} onChanged={onChanged} /> },
  ];
  return (
    <Table caption="Devices that are let in" columns={columns} rows={devices} keyOf={({ deviceId }) => deviceId} />
  );
}

const isOwn = ({ deviceId }: DeviceSummary): boolean => identity.value?.id === deviceId;

function Name({ device }: { device: DeviceSummary }) {
  return (
    <span class="device-name">
      <span>
        {device.name} {isOwn(device) && <Badge tone="accent">this one</Badge>}
      </span>
      <span class="muted small">
        {device.platform} · <code title={device.deviceId}>{device.deviceId.slice(0, 12)}</code>
      </span>
    </span>
  );
}

function Revoke({ device, onChanged }: { device: DeviceSummary; onChanged(): void }) {
  const { deviceId, name } = device;
  const revoke = async () => {
    await call("device-pair.revoke", { deviceId });
    onChanged();
    return `${name} is no longer let in.`;
  };
  return (
    <ActionButton
      needs="device-pair.revoke"
      size="small"
      about={name}
      run={revoke}
      ask={{
        title: `Revoke ${name}?`,
        text: isOwn(device)
          ? "This is the device that you use now: you will be shut out at once, and somebody has to let you in again."
          : "Its connections are closed at once. To come back it has to be let in again.",
        action: "Revoke",
        isDangerous: true,
      }}
    >
      Revoke…
    </ActionButton>
  );
}
