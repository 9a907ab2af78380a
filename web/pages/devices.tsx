/** Browsers and machines that are let in, those that ask, and who is connected now. */
import { useState } from "preact/hooks";
import { can, useCall } from "../connection.ts";
import "../styles/page-parts.css";
import "../styles/devices.css";
import { ActionButton } from "../ui/action-button.tsx";
import { Await, Note } from "../ui/index.ts";
import { whyNot } from "../ui/why-not.ts";
import { Connected } from "./devices/connected.tsx";
import { DeviceTable } from "./devices/device-table.tsx";
import { LinkDialog } from "./devices/link-dialog.tsx";
import { RequestCard } from "./devices/request-card.tsx";

export function Page() {
  const devices = useCall("device-pair.list", can("device-pair.list") ? {} : undefined, {
    refreshOn: ["device-pair.requested", "device-pair.resolved", "presence"],
  });
  const [isMaking, setMaking] = useState(false);
  const refusal = whyNot("device-pair.list");
  return (
    <div class="page-body">
      {refusal !== undefined ? (
        <Note>{refusal}</Note>
      ) : (
        <Await of={devices}>
          {({ devices: all, requests }) => (
            <>
              {requests.length > 0 && (
                <section class="stack" aria-labelledby="requests">
                  <h2 id="requests">Asking to be let in</h2>
                  {requests.map((request) => (
                    <RequestCard key={request.requestId} request={request} onChanged={devices.reload} />
                  ))}
                </section>
              )}
              <section class="stack" aria-labelledby="devices">
                <div class="spread">
                  <h2 id="devices">Let in</h2>
                  <ActionButton
                    needs="device-pair.code"
                    variant="primary"
                    icon="link"
                    run={() => {
                      setMaking(true);
                      return undefined;
                    }}
                  >
                    Let a device in
                  </ActionButton>
                </div>
                <DeviceTable devices={all} onChanged={devices.reload} />
              </section>
            </>
          )}
        </Await>
      )}
      <LinkDialog isOpen={isMaking} onClose={() => setMaking(false)} />
      <Connected />
    </div>
  );
}
