/** A window over the page: the browser's own `<dialog>`, so focus stays in it, Esc closes it, and focus goes back afterwards. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

interface DialogProps {
  isOpen: boolean;
  title: string;
  onClose(): void;
  children: ComponentChildren;
  /** Buttons, the main one last. */
  footer?: ComponentChildren;
  size?: "small" | "medium" | "large";
}

export function Dialog({ isOpen, title, onClose, children, footer, size = "medium" }: DialogProps) {
  const id = useId();
  const element = useModal(isOpen);
  return (
    <dialog
      ref={element}
      class={`dialog dialog-${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {isOpen && (
        <div class="dialog-inside">
          <div class="dialog-head">
            <h2 id={id}>{title}</h2>
            <IconButton icon="close" label="Close" onClick={onClose} />
          </div>
          <div class="dialog-body">{children}</div>
          {footer !== undefined && <div class="dialog-foot">{footer}</div>}
        </div>
      )}
    </dialog>
  );
}

/** Opens and closes a `<dialog>` as told. */
export function useModal(isOpen: boolean) {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key is pressed: it is meant for the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    if (isOpen && !dialog.open) dialog.showModal();
    if (!isOpen && dialog.open) dialog.close();
  }, [isOpen]);
  return element;
}
