/** The page "welcome": a first start in three steps. Each can be left out, and the page can be come back to. */
import "../styles/welcome.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { saveDraft } from "../chat/drafts.ts";
import { call, can, describeError, newKey, snapshot, useCall } from "../connection.ts";
import { go } from "../router.ts";
import { Await, announce, Icon, toast } from "../ui/index.ts";
import { ChannelStep } from "./welcome/channel-step.tsx";
import { DoneStep } from "./welcome/done-step.tsx";
import { ModelStep } from "./welcome/model-step.tsx";

const steps = ["A model", "A chat", "Done"] as const;
const titles = ["Which model should mom think with?", "Where do you want to talk to her?", "Mom is ready"] as const;

export function Page() {
  const setup = useCall("setup.status", {}, { refreshOn: ["config.changed", "channels.changed"] });
  const [step, setStep] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    heading.current?.focus();
    announce(`Step ${step + 1} of ${steps.length}: ${titles[step]}`);
  }, [step]);
  return (
    <div class="welcome">
      <header class="welcome-head">
        <span class="welcome-logo">
          <Icon name="welcome" size={28} />
        </span>
        <div>
          <p class="welcome-hello">Hello. I am mom.</p>
          <p class="muted">Your own assistant, on your own machine. Three short steps and we can talk.</p>
        </div>
      </header>
      <StepList step={step} onGo={setStep} />
      <section class="card">
        <h2 ref={heading} tabIndex={-1} class="welcome-title">
          {titles[step]}
        </h2>
        <Await of={setup}>
          {(data) => (
            <>
              {step === 0 && <ModelStep setup={data} onReload={setup.reload} onNext={() => setStep(1)} />}
              {step === 1 && (
                <ChannelStep
                  channels={data.channels}
                  onReload={setup.reload}
                  onBack={() => setStep(0)}
                  onNext={() => setStep(2)}
                />
              )}
              {step === 2 && <DoneStep dataDir={data.dataDir} onBack={() => setStep(1)} onFinish={finish} />}
            </>
          )}
        </Await>
      </section>
      <button type="button" class="welcome-skip" onClick={() => finish()}>
        Skip this and go to the chat
      </button>
    </div>
  );
}

function StepList({ step, onGo }: { step: number; onGo(step: number): void }) {
  return (
    <ol class="welcome-steps">
      {steps.map((name, i) => (
        <li key={name} class={i < step ? "is-done" : ""}>
          <button type="button" aria-current={i === step ? "step" : undefined} onClick={() => onGo(i)}>
            <span class="welcome-number">{i < step ? <Icon name="check" size={16} /> : i + 1}</span>
            {name}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The welcome is not shown again. Where that cannot be noted, the chat works all the same. */
async function finish(draft?: string): Promise<void> {
  if (can("setup.finish")) {
    await call("setup.finish", { idempotencyKey: newKey() }).catch((error: unknown) =>
      toast(describeError(error), "bad"),
    );
  }
  const own = snapshot.peek()?.mainSessionKey;
  // It stands in the chat's input, to be sent or changed.
  if (draft !== undefined && own !== undefined) saveDraft(own, draft);
  go("chat");
}
