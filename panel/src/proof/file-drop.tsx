import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import "./proof.css";

/** Accepts dropped or chosen files. */
export function FileDrop({
  title,
  hint,
  accept,
  small = false,
  onFiles,
}: {
  title: string;
  hint: string;
  accept?: string;
  small?: boolean;
  onFiles: (files: File[]) => void;
}) {
  const isOver = useSignal(false);
  const id = useId();
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  };
  const choose = (input: HTMLInputElement): void => {
    const files = [...(input.files ?? [])];
    // Allows the same file to be chosen again: it may have changed.
    input.value = "";
    if (files.length > 0) onFiles(files);
  };
  return (
    <div
      class={`drop${small ? " drop-small" : ""}${isOver.value ? " drop-over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={drop}
    >
      <input
        class="drop-input"
        id={id}
        type="file"
        multiple
        accept={accept}
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget)}
      />
      <label class="drop-label" for={id}>
        <Icon name="upload" size={small ? 22 : 32} />
        <span class="drop-title">{title}</span>
        <span class="muted small" id={`${id}-hint`}>
          {hint}
        </span>
      </label>
    </div>
  );
}
