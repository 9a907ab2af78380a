/** "Are you sure?": `if (await confirm({ title, text, action })) …`. The shell shows the question. */
import { signal } from "@preact/signals";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface Question {
  title: string;
  text: string;
  /** What the button says: the deed, not "OK". */
  action: string;
  isDangerous?: boolean;
}

const asked = signal<(Question & { answer(yes: boolean): void }) | undefined>(undefined);

export function confirm(question: Question): Promise<boolean> {
  asked.peek()?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = undefined;
        resolve(yes);
      },
    };
  });
}

/** Once, in the shell. */
export function ConfirmHost() {
  const question = asked.value;
  return (
    <Dialog
      isOpen={question !== undefined}
      title={question?.title ?? ""}
      size="small"
      onClose={() => question?.answer(false)}
      footer={
        <>
          <Button onClick={() => question?.answer(false)}>Cancel</Button>
          <Button variant={question?.isDangerous ? "danger" : "primary"} onClick={() => question?.answer(true)}>
            {question?.action}
          </Button>
        </>
      }
    >
      <p>{question?.text}</p>
    </Dialog>
  );
}
