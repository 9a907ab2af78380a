/** What is seen before one is let in: connecting, asking for token or password, waiting to be approved, refused. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { login, reconnect, showLogin, state, wasCodeRefused } from "../connection.ts";
import { hasDeviceKeys } from "../device-key.ts";
import { Button, Code, ErrorNote, Icon, type IconName, Note, Select, Spinner, TextField } from "../ui/index.ts";

export function Gate() {
  const shown = state.value;
  useEffect(() => {
    document.title = "mom";
  }, []);
  return (
    <main class="gate" id="main">
      {shown.type === "login" && <Login error={shown.error} />}
      {shown.type === "approval" && <Waiting requestId={shown.requestId} />}
      {shown.type === "refused" && <Refused message={shown.error.message} />}
      {shown.type === "lost" && <Unreachable message={shown.error?.message} />}
      {(shown.type === "connecting" || shown.type === "ready") && <Spinner label="Connecting to mom…" size={24} />}
    </main>
  );
}

function GateCard({ icon, title, children }: { icon: IconName; title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="gate-card">
      <span class="gate-icon">
        <Icon name={icon} size={26} />
      </span>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </section>
  );
}

function Login({ error }: { error: unknown }) {
  const [kind, setKind] = useState<"token" | "password">("token");
  const [secret, setSecret] = useState("");
  return (
    <GateCard icon="key" title="Who is there?">
      {!hasDeviceKeys() && (
        <p class="muted">
          This page came over plain HTTP, where a browser keeps no keys. What you type here is kept until the tab is
          closed.
        </p>
      )}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = secret.trim();
          if (typed !== "") login(kind === "token" ? { token: typed } : { password: secret });
        }}
      >
        <Select
          label="Sign in with"
          value={kind}
          options={[
            { value: "token", label: "Gateway token" },
            { value: "password", label: "Password" },
          ]}
          onChange={setKind}
        />
        <TextField
          label={kind === "token" ? "Gateway token" : "Password"}
          type="password"
          autoComplete="off"
          value={secret}
          onInput={setSecret}
          hint={
            kind === "token" ? (
              <>
                <code>mom gateway token</code> prints it, on the machine where mom runs.
              </>
            ) : (
              <>
                Set as <code>gateway.auth.password</code> in the config.
              </>
            )
          }
        />
        {error !== undefined && <ErrorNote error={toError(error)} />}
        <Button variant="primary" type="submit">
          Sign in
        </Button>
        {hasDeviceKeys() && <Button onClick={reconnect}>Use this browser's own key</Button>}
      </form>
    </GateCard>
  );
}

const toError = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "message" in error ? new Error(String(error.message)) : error;

function CodeRefused() {
  if (!wasCodeRefused.value) return null;
  return (
    <Note tone="warn">
      The code in the link was wrong, was used already, or is too old. On the machine where mom runs,{" "}
      <code>mom gateway link</code> makes a new one.
    </Note>
  );
}

function Waiting({ requestId }: { requestId: string }) {
  return (
    <GateCard icon="devices" title="Let this browser in">
      <CodeRefused />
      <p>
        mom does not know this browser yet. Whoever looks after mom can let it in, from another browser (Devices) or in
        a terminal:
      </p>
      <Code text={`mom devices approve ${requestId}`} label="Command" isWrapped />
      <p class="muted">
        The request is <strong class="mono">{requestId}</strong>. This page goes on by itself once it is approved.
      </p>
      <Spinner label="Waiting…" />
      <div class="row">
        <Button onClick={reconnect}>Ask again now</Button>
        <Button onClick={showLogin}>Use a token instead</Button>
      </div>
    </GateCard>
  );
}

function Refused({ message }: { message: string }) {
  return (
    <GateCard icon="warning" title="Not let in">
      <CodeRefused />
      <p>{message}</p>
      <p class="muted">
        On the machine where mom runs, <code>mom gateway link</code> prints a link that lets one browser in.
      </p>
      <div class="row">
        <Button onClick={reconnect}>Try again</Button>
        <Button variant="ghost" onClick={showLogin}>
          Use a token or password
        </Button>
      </div>
    </GateCard>
  );
}

function Unreachable({ message }: { message: string | undefined }) {
  return (
    <GateCard icon="warning" title="mom does not answer">
      <p>{message ?? "The connection cannot be made. Is mom still running?"}</p>
      <div class="row">
        <Spinner label="Trying again…" />
        <Button onClick={reconnect}>Try now</Button>
      </div>
    </GateCard>
  );
}
