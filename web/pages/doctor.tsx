/** The page "doctor": everything that can be wrong, looked at, with the fix. */
import "../styles/doctor.css";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { FindingSummary, Result } from "../../src/gateway/protocol/index.ts";
import { call, state } from "../connection.ts";
import {
  Badge,
  Button,
  CopyButton,
  copyText,
  EmptyState,
  ErrorNote,
  Icon,
  type IconName,
  Note,
  Spinner,
  Switch,
  type Tone,
  toast,
} from "../ui/index.ts";
import { type FixPart, formatFindings, groupFindings, splitFix } from "./doctor/findings.ts";

/** Platforms and models are given their time to answer. */
const patienceMs = 180_000;

export function Page() {
  const [isThorough, setThorough] = useState(false);
  const { report, error, isRunning, run } = useDoctor();
  // Looking at this machine costs nothing, so it is done at once; asking others only when it is wanted.
  const isReady = state.value.type === "ready";
  useEffect(() => {
    if (isReady) run(false);
  }, [isReady, run]);
  const copy = async () => {
    const isCopied = report !== undefined && (await copyText(formatFindings(report.findings)));
    toast(isCopied ? "Report copied" : "The browser did not let the page copy.", isCopied ? "good" : "bad");
  };
  return (
    <div class="page-body doctor">
      <div class="doctor-bar">
        <Switch
          label="Ask models and chat platforms too"
          hint="Takes longer, and a model may count a small call."
          isOn={isThorough}
          disabled={isRunning}
          onChange={setThorough}
        />
        <div class="row">
          {report && (
            <Button icon="copy" onClick={copy}>
              Copy report
            </Button>
          )}
          <Button variant="primary" icon="refresh" isBusy={isRunning} onClick={() => run(isThorough)}>
            {report ? "Run again" : "Run"}
          </Button>
        </div>
      </div>
      {error !== undefined && <ErrorNote error={error} onRetry={() => run(isThorough)} />}
      <div aria-live="polite" class="stack">
        {isRunning && !report && (
          <div class="loading">
            <Spinner label="Looking at everything…" />
          </div>
        )}
        {report && <Report report={report} />}
      </div>
    </div>
  );
}

function useDoctor() {
  const [shown, setShown] = useState<{ report?: Result<"doctor.run">; error?: unknown; isRunning: boolean }>({
    isRunning: false,
  });
  const newest = useRef(0);
  const run = useCallback((isThorough: boolean) => {
    const own = ++newest.current;
    setShown((before) => ({ ...before, error: undefined, isRunning: true }));
    call("doctor.run", { offline: !isThorough }, { timeoutMs: patienceMs }).then(
      (report) => own === newest.current && setShown({ report, isRunning: false }),
      (error: unknown) => own === newest.current && setShown((before) => ({ ...before, error, isRunning: false })),
    );
  }, []);
  return { report: shown.report, error: shown.error, isRunning: shown.isRunning, run };
}

const looks: Record<FindingSummary["level"], { title: string; tone: Tone; icon: IconName }> = {
  fail: { title: "Broken", tone: "bad", icon: "close" },
  warn: { title: "Worth a look", tone: "warn", icon: "warning" },
  ok: { title: "Fine", tone: "good", icon: "check" },
};

function Report({ report: { ok, findings } }: { report: Result<"doctor.run"> }) {
  const warnings = findings.filter(({ level }) => level === "warn").length;
  if (findings.length === 0) return <EmptyState icon="doctor" title="Nothing was looked at" />;
  return (
    <>
      <Note tone={!ok ? "bad" : warnings > 0 ? "warn" : "good"}>
        {!ok
          ? "Something is broken; the fix is below."
          : warnings > 0
            ? "Nothing is broken, but some of it is worth a look."
            : "All is well."}
      </Note>
      {groupFindings(findings).map((group) => (
        <section key={group.level} class={`doctor-group doctor-${group.level}`}>
          <h2>
            {looks[group.level].title} <Badge tone={looks[group.level].tone}>{group.findings.length}</Badge>
          </h2>
          <ul>
            {group.findings.map((finding, i) => (
              <FindingView key={`${finding.check} ${i}`} finding={finding} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function FindingView({ finding: { check, level, detail, fix } }: { finding: FindingSummary }) {
  return (
    <li class="doctor-finding">
      <span class="doctor-sign">
        <Icon name={looks[level].icon} size={18} />
      </span>
      <div class="doctor-text">
        <div>
          <strong>{check}</strong> <span class="doctor-detail">{detail}</span>
        </div>
        {fix !== undefined && (
          <div class="doctor-fix">
            <span class="doctor-fix-name">Fix</span>
            <div>
              {splitFix(fix).map((part, i) => (
                <FixPartView key={`${part.text} ${i}`} part={part} />
              ))}
            </div>
          </div>
        )}
      </div>
    </li>
  );
}

function FixPartView({ part }: { part: FixPart }) {
  if (part.type === "text") return <span>{part.text}</span>;
  return (
    <span class="doctor-command">
      <code>{part.text}</code>
      <CopyButton text={part.text} label={`Copy: ${part.text}`} />
    </span>
  );
}
