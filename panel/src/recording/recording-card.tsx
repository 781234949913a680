import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { Button } from "../components/button.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { duration } from "../format/duration.ts";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import { goesOnAfter, recorder } from "./recorder.ts";

/** How far a recording is, and a way to end or to continue it. */
export function RecordingCard() {
  const { recording: words } = texts.value;
  const open = recorder.open.value;
  const failure = recorder.failure.value;
  if (open === undefined) return failure === undefined ? null : <ErrorNotice error={failure} />;
  const isRunning = recorder.isRunning.value;
  const left = recorder.secondsLeft.value;
  const title = words.title(wholeNumber(open.all));
  const isCancelled = recorder.isCancelled.value;
  return (
    <form
      class="card stack no-print"
      onSubmit={(event) => {
        event.preventDefault();
        void recorder.run();
      }}
    >
      <h2>{title}</h2>
      <progress class="file-progress" max={open.all} value={recorder.done.value} aria-label={title} />
      <p class="small muted number" role="status">
        {words.done(wholeNumber(recorder.done.value), wholeNumber(open.all))}
        {left === undefined || !isRunning ? null : <> · {words.left(duration(left))}</>}
      </p>
      {failure === undefined ? null : <ErrorNotice error={failure} />}
      {goesOnAfter(failure) ? <p class="small muted">{words.goesOn}</p> : null}
      {isAccessNeeded.value ? <AccessField /> : null}
      <div class="row">
        {isRunning && failure === undefined ? null : (
          <Button free kind="main" icon="proofs" type="submit" busy={isRunning}>
            {words.goOn}
          </Button>
        )}
        <Button free busy={isCancelled} onClick={() => recorder.cancel()}>
          {words.cancel}
        </Button>
        <span class="small muted">{isCancelled ? words.cancelling : open.account === "" ? null : words.about}</span>
      </div>
    </form>
  );
}
