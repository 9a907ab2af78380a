/** Buttons. `isBusy` shows that it works and takes no second press. */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";
import { Spinner } from "./spinner.tsx";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon"> {
  variant?: "default" | "primary" | "danger" | "ghost";
  size?: "small" | "medium";
  icon?: IconName;
  isBusy?: boolean;
  children?: ComponentChildren;
}

export function Button({ variant = "default", size = "medium", icon, isBusy, children, ...rest }: ButtonProps) {
  const className = `button button-${variant} button-${size} ${rest.class ?? ""}`;
  return (
    <button type="button" {...rest} class={className} disabled={rest.disabled || isBusy} aria-busy={isBusy}>
      {isBusy ? <Spinner size={16} /> : icon && <Icon name={icon} size={size === "small" ? 16 : 18} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "label"> {
  icon: IconName;
  /** What it does: read out, and shown as a tip. */
  label: string;
  size?: "small" | "medium";
}

export function IconButton({ icon, label, size = "medium", ...rest }: IconButtonProps) {
  const className = `icon-button icon-button-${size} ${rest.class ?? ""}`;
  return (
    <button type="button" title={label} {...rest} class={className} aria-label={label}>
      <Icon name={icon} size={size === "small" ? 16 : 20} />
    </button>
  );
}
