import { effect, signal } from "@preact/signals";

/** Whether the session's token is being replaced: no operation may start with it in the meantime. */
export const isBlocked = signal(false);

/** Runs an action as soon as the block ends. */
export function whenUnblocked(act: () => void): void {
  let done = false;
  const stop = effect(() => {
    if (isBlocked.value || done) return;
    done = true;
    queueMicrotask(() => {
      stop();
      act();
    });
  });
}
