import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** An empty state: the reason and the next action. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} size={36} />
      <h3>{title}</h3>
      {children}
    </div>
  );
}
