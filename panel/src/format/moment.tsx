import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { language } from "../texts/texts.ts";

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** The current time for all relative times; updated while a component uses it. */
const now = signal(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function useNow(): number {
  useEffect(() => {
    if (watchers++ === 0) timer = setInterval(() => (now.value = Date.now()), 1_000);
    now.value = Date.now();
    return () => void (--watchers === 0 && clearInterval(timer));
  }, []);
  return now.value;
}

/** A time (Unix seconds) as a date. */
export function Moment({ at }: { at: number }) {
  const date = new Date(at * 1000);
  const text = new Intl.DateTimeFormat(language.value, { dateStyle: "long", timeStyle: "medium" }).format(date);
  return (
    <time dateTime={date.toISOString()} class="number">
      {text}
    </time>
  );
}

/** The time since another time (Unix seconds). */
export function Ago({ at }: { at: number }) {
  const seconds = Math.min(0, at - Math.floor(useNow() / 1000));
  const [unit, length] = UNITS.find(([, size]) => -seconds >= size) ?? UNITS[3];
  const date = new Date(at * 1000);
  const text = new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(
    Math.ceil(seconds / length),
    unit,
  );
  const title = new Intl.DateTimeFormat(language.value, { dateStyle: "long", timeStyle: "medium" }).format(date);
  return (
    <time dateTime={date.toISOString()} title={title} class="number">
      {text}
    </time>
  );
}
