import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

const ICONS = { info: "info", good: "check", warning: "warning", bad: "warning" } as const satisfies Record<
  string,
  IconName
>;

/** Says something that matters now; what is bad is read out at once. */
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
