import { signal } from "@preact/signals";

/** The time, Unix milliseconds, anew every second. */
export const now = signal(Date.now());

/** Lets the time go on, and tells of every second. */
export function startClock(onSecond: () => void): void {
  const tick = () => {
    now.value = Date.now();
    onSecond();
  };
  const ticker = new Worker(new URL("./ticker.ts", import.meta.url), { type: "module" });
  ticker.addEventListener("message", tick);
  // A clock that is slow at times is better than none.
  ticker.addEventListener("error", () => setInterval(tick, 1_000), { once: true });
}
