import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

const ICONS = { info: "info", good: "check", warning: "warning", bad: "warning" } as const satisfies Record<
  string,
  IconName
>;

/** A notice; screen readers announce errors immediately. */
export function Notice({
  kind = "info",
  title,
  children,
}: {
  kind?: keyof typeof ICONS;
  title?: string;
  children?: ComponentChildren;
}) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "bad" ? "alert" : "status"}>
      <Icon name={ICONS[kind]} />
      <div>
        {title === undefined ? null : <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}
