import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** Collapsible details. */
export function More({
  title,
  open = false,
  children,
}: {
  title: string;
  open?: boolean;
  children: ComponentChildren;
}) {
  return (
    <details class="more" open={open}>
      <summary>
        <Icon name="next" size={16} />
        {title}
      </summary>
      <div class="stack">{children}</div>
    </details>
  );
}
