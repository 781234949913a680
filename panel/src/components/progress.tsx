import type { ComponentChildren } from "preact";

/** Indeterminate progress with a label. */
export function Progress({ children }: { children: ComponentChildren }) {
  return (
    <div class="stack">
      <div class="progress" aria-hidden="true">
        <span />
      </div>
      <div role="status">{children}</div>
    </div>
  );
}
