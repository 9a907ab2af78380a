/**
 * A button that does something at mom: asks first where told to, shows that it works, says what came of it. Where a scope
 * is missing it stays reachable and says why it does nothing.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { MethodName } from "../../src/gateway/protocol/index.ts";
import { describeError } from "../connection.ts";
import { Button } from "./button.tsx";
import { confirm } from "./confirm.tsx";
import type { IconName } from "./icon.tsx";
import { toast } from "./toast.tsx";
import { whyNot } from "./why-not.ts";

export interface ActionButtonProps {
  /** What it calls: decides whether it may be pressed. */
  needs: MethodName;
  /** A sentence in the result is shown as good news. A rejection is shown as bad news. */
  run(): Promise<string | undefined> | string | undefined;
  ask?: Parameters<typeof confirm>[0];
  /** Why it cannot be pressed now, whatever the scopes. */
  reason?: string | undefined;
  /** Where several buttons say the same: what this one is about. Read out behind its words. */
  about?: string;
  variant?: "default" | "primary" | "danger" | "ghost";
  size?: "small" | "medium";
  icon?: IconName;
  children: ComponentChildren;
}

export function ActionButton({ needs, run, ask, reason, about, children, ...look }: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const refusal = whyNot(needs) ?? reason;
  // What was said of another reason no longer holds.
  useEffect(() => setProblem(undefined), [refusal]);
  const press = async ({ currentTarget }: { currentTarget: HTMLElement }) => {
    // What is said at the edge of the page cannot be seen or heard while a dialog is open.
    const tell = currentTarget.closest("dialog") ? setProblem : toast;
    setProblem(undefined);
    if (refusal !== undefined) return tell(refusal);
    if (ask && !(await confirm(ask))) return;
    setBusy(true);
    try {
      const news = await run();
      if (news !== undefined) toast(news, "good");
    } catch (error) {
      if (tell === toast) toast(describeError(error), "bad");
      else tell(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {problem !== undefined && (
        <p class="action-problem" role="alert">
          {problem}
        </p>
      )}
      <Button
        {...look}
        isBusy={isBusy}
        onClick={press}
        {...(refusal !== undefined && { "aria-disabled": true, title: refusal, class: "is-refused" })}
      >
        {children}
        {about !== undefined && <span class="visually-hidden">{about}</span>}
      </Button>
    </>
  );
}
