import { Button } from "../components/button.tsx";
import { duration } from "../format/duration.ts";
import { byteSize, wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import type { FileQueue } from "./file-queue.ts";

/** How far files are read, how long it takes, and a way to stop. */
export function FileProgress({ queue }: { queue: FileQueue }) {
  const { hashing } = texts.value.verify;
  const progress = queue.progress.value;
  if (progress === undefined) return null;
  const { files, filesDone, bytes, bytesDone, secondsLeft } = progress;
  return (
    <div class="card stack">
      <progress class="file-progress" max={Math.max(1, bytes)} value={bytesDone} aria-label={hashing.title} />
      <div class="row spread">
        <span class="small muted number">
          {hashing.files(wholeNumber(filesDone), wholeNumber(files))} · {byteSize(bytesDone)} / {byteSize(bytes)}
          {secondsLeft === undefined ? null : <> · {hashing.left(duration(secondsLeft))}</>}
        </span>
        <Button free onClick={() => queue.cancel()}>
          {hashing.cancel}
        </Button>
      </div>
    </div>
  );
}
