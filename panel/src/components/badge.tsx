import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

const ICONS = { plain: undefined, good: "check", warning: "warning", bad: "close" } as const satisfies Record<
  string,
  IconName | undefined
>;

/** A status label. */
export function Badge({ kind = "plain", children }: { kind?: keyof typeof ICONS; children: ComponentChildren }) {
  const icon = ICONS[kind];
  return (
    <span class={kind === "plain" ? "badge" : `badge badge-${kind}`}>
      {icon === undefined ? null : <Icon name={icon} size={14} />}
      {children}
    </span>
  );
}
