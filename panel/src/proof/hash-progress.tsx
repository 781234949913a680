import { byteSize } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";

/** The hashed part of a file. */
export function HashProgress({ file, done }: { file: File; done: number }) {
  const { hashing } = texts.value.proofs;
  return (
    <div class="stack">
      <progress class="hash-progress" max={Math.max(1, file.size)} value={done} aria-label={hashing(file.name)} />
      <span class="small muted number">
        {hashing(file.name)} {byteSize(done)} / {byteSize(file.size)}
      </span>
    </div>
  );
}
