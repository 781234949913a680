import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { isBlocked, whenUnblocked } from "./blocking.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Properties of a button. */
export interface ButtonProps {
  readonly kind?: "main" | "plain" | "quiet";
  readonly icon?: IconName;
  /** Label of the action; without `children` only for screen readers. */
  readonly label?: string;
  readonly type?: "button" | "submit";
  /** In progress; cannot be pressed again. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  /** Can be pressed while the session's token is replaced, because it does not use the token. */
  readonly free?: boolean;
  readonly onClick?: () => void;
  readonly children?: ComponentChildren;
}

/**
 * A button. While the session's token is replaced the button is blocked: it keeps the focus, and a press takes effect
 * with the new token.
 */
export function Button({
  kind = "plain",
  icon,
  label,
  type = "button",
  busy = false,
  disabled = false,
  pressed,
  expanded,
  free = false,
  onClick,
  children,
}: ButtonProps) {
  const element = useRef<HTMLButtonElement>(null);
  const blocked = !free && isBlocked.value;
  const press = (event: Event) => {
    if (busy || disabled) return event.preventDefault();
    if (blocked) {
      event.preventDefault();
      return whenUnblocked(() => element.current?.click());
    }
    onClick?.();
  };
  return (
    <button
      ref={element}
      type={type}
      class={`button button-${kind}${children === undefined ? " button-icon" : ""}`}
      aria-disabled={busy || disabled || blocked}
      aria-busy={busy}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-label={label}
      title={children === undefined ? label : undefined}
      onClick={press}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}
