import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** Attributes that connect a control with its label, hint and error. */
export interface ControlProps {
  readonly id: string;
  readonly class: string;
  readonly "aria-invalid"?: "true";
  readonly "aria-describedby"?: string;
}

/** A label, the control that `children` create from the given properties, a hint, and an error of the input. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: (props: ControlProps) => ComponentChildren;
}) {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`]
    .filter((text) => text !== "")
    .join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        class: "control",
        ...(error === undefined ? {} : { "aria-invalid": "true" }),
        ...(described === "" ? {} : { "aria-describedby": described }),
      })}
      {hint === undefined ? null : (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error === undefined ? null : (
        <span class="field-error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}
