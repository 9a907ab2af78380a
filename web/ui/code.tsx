/** Text of a machine: never cut, scrolls in itself, can be copied. */
import { useState } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { toast } from "./toast.tsx";

export function Code({
  text,
  label = "Code",
  isWrapped = false,
}: {
  text: string;
  label?: string;
  isWrapped?: boolean;
}) {
  return (
    <section class="code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre class={isWrapped ? "is-wrapped" : ""} tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </section>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text)))
      return toast("The browser did not let the page copy. Select the text and copy it yourself.", "bad");
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <IconButton
      class="copy"
      size="small"
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? "Copied" : label}
      onClick={copy}
    />
  );
}

/** Plain HTTP beyond this machine has no clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
