import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { texts } from "../texts/texts.ts";
import { chosenFiles, droppedFiles, type Picked } from "./dropped-files.ts";
import "./files.css";

/** Accepts files and folders, dropped or chosen. */
export function FileDrop({ isSmall, onFiles }: { isSmall: boolean; onFiles: (picked: Promise<Picked>) => void }) {
  const { drop: words } = texts.value.verify;
  const isOver = useSignal(false);
  const id = useId();
  const choose = (input: HTMLInputElement): void => {
    const picked = chosenFiles(input.files ?? []);
    // Allows the same file to be chosen again: it may have changed.
    input.value = "";
    if (picked.files.length > 0) onFiles(Promise.resolve(picked));
  };
  return (
    <div
      class={`drop${isSmall ? " drop-small" : ""}${isOver.value ? " drop-over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        if (event.dataTransfer !== null) onFiles(droppedFiles(event.dataTransfer));
      }}
    >
      <input
        class="drop-input"
        id={id}
        type="file"
        multiple
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget)}
      />
      <label class="drop-label" for={id}>
        <Icon name="upload" size={isSmall ? 22 : 32} />
        <span class="drop-title">{isSmall ? words.more : words.title}</span>
        <span class="muted small" id={`${id}-hint`}>
          {words.hint}
        </span>
      </label>
      <label class="drop-folder button button-plain">
        <input
          class="visually-hidden"
          type="file"
          ref={(input) => input?.setAttribute("webkitdirectory", "")}
          onChange={(event) => choose(event.currentTarget)}
        />
        {words.folder}
      </label>
    </div>
  );
}
