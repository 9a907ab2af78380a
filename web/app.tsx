/** The frame around every page: who is let in sees navigation, top bar and the page; everybody else a screen that says what to do. */
import { identity, state } from "./connection.ts";
import { Gate } from "./shell/gate.tsx";
import { Shell } from "./shell/shell.tsx";
import { ConfirmHost } from "./ui/confirm.tsx";
import { LiveRegion, ToastHost } from "./ui/toast.tsx";

export function App() {
  // Once in, a dropped connection leaves the page standing.
  const isIn = identity.value !== undefined && ["ready", "lost", "connecting"].includes(state.value.type);
  return (
    <>
      {isIn ? <Shell /> : <Gate />}
      <ConfirmHost />
      <ToastHost />
      <LiveRegion />
    </>
  );
}
