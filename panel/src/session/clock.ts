import { signal } from "@preact/signals";

/** The time, Unix milliseconds, updated every second. */
export const now = signal(Date.now());

/** Starts the clock and calls a listener every second. */
export function startClock(onSecond: () => void): void {
  const tick = () => {
    now.value = Date.now();
    onSecond();
  };
  const ticker = new Worker(new URL("./ticker.ts", import.meta.url), { type: "module" });
  ticker.addEventListener("message", tick);
  // A slow clock is better than none.
  ticker.addEventListener("error", () => setInterval(tick, 1_000), { once: true });
}
