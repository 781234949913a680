import type { ComponentChildren } from "preact";

/** Work of which nobody can say how long it takes, and what it is. */
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
