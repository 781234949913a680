import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** What is shown where there is nothing yet: why, and what to do. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} size={36} />
      <h3>{title}</h3>
      {children}
    </div>
  );
}
