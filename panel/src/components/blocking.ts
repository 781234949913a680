import { effect, signal } from "@preact/signals";

/** Whether the session's token is being replaced: for that moment nothing may be begun with it. */
export const isBlocked = signal(false);

/** Does something as soon as nothing is blocked. */
export function whenFree(act: () => void): void {
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
