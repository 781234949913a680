import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** What ties a control to its label, its hint and its fault. */
export interface ControlProps {
  readonly id: string;
  readonly class: string;
  readonly "aria-invalid"?: "true";
  readonly "aria-describedby"?: string;
}

/**
 * A label, the control that `children` make of what they are given, a hint, and what is wrong with what was entered.
 */
export function Field({
  label,
  hint,
  fault,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  fault?: string | undefined;
  children: (props: ControlProps) => ComponentChildren;
}) {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, fault === undefined ? "" : `${id}-fault`]
    .filter((text) => text !== "")
    .join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        class: "control",
        ...(fault === undefined ? {} : { "aria-invalid": "true" }),
        ...(described === "" ? {} : { "aria-describedby": described }),
      })}
      {hint === undefined ? null : (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault === undefined ? null : (
        <span class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}
