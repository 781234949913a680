import { useId } from "preact/hooks";

/** An option. */
export interface Segment<Value extends string> {
  readonly value: Value;
  readonly title: string;
}

/** A segmented control. */
export function Segments<Value extends string>({
  label,
  of,
  value,
  onChoose,
}: {
  label: string;
  of: readonly Segment<Value>[];
  value: Value;
  onChoose: (value: Value) => void;
}) {
  const name = useId();
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {of.map((segment) => (
        <label key={segment.value}>
          <input type="radio" name={name} checked={segment.value === value} onChange={() => onChoose(segment.value)} />
          {segment.title}
        </label>
      ))}
    </div>
  );
}
