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

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
// Sweden writes dates as ISO does.
const inZone = new Intl.DateTimeFormat("sv-SE", {
  dateStyle: "short",
  timeStyle: "medium",
  ...(zone === undefined ? {} : { timeZone: zone }),
});

/** The last second that a date of JavaScript can have. */
const LAST_SECOND = 8_640_000_000_000;

/** Formats a time (Unix seconds) as ISO. A time beyond all dates, which only a forger writes, is the last one. */
export function isoText(seconds: number): string {
  return new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString().replace(".000Z", "Z");
}

/** Formats a time (Unix seconds) as `2026-11-26 19:42:51 UTC`: the same everywhere, for everybody. */
export function utcText(seconds: number): string {
  return `${isoText(Math.floor(seconds)).replace("T", " ").replace("Z", "")} UTC`;
}

/** Formats the time of day (UTC) of a time (Unix seconds). */
export function hourText(seconds: number): string {
  return utcText(seconds).slice(11, 16);
}

/** Formats a time (Unix seconds) in the reader's own zone, with its name; `undefined` when that is UTC. */
function zoneText(seconds: number): string | undefined {
  return zone === undefined || zone === "UTC" ? undefined : `${inZone.format(Date.parse(isoText(seconds)))} ${zone}`;
}

/** A time (Unix seconds): UTC, then the reader's own zone. */
export function Moment({ at }: { at: number }) {
  const own = zoneText(at);
  return (
    <>
      <time dateTime={isoText(at)} class="number">
        {utcText(at)}
      </time>
      {own === undefined ? null : <span class="moment-zone muted small number"> {own}</span>}
    </>
  );
}

/** Puts the time in the form of ISO into the clipboard when a reader copies a time. */
export function copyTimesAsIso(): void {
  addEventListener("copy", (event) => {
    const selection = getSelection();
    const [start, end] = [timeAround(selection?.anchorNode), timeAround(selection?.focusNode)];
    if (start === null || start !== end) return;
    event.clipboardData?.setData("text/plain", start.dateTime);
    event.preventDefault();
  });
}

function timeAround(node: Node | null | undefined): HTMLTimeElement | null {
  return (node instanceof Element ? node : node?.parentElement)?.closest("time") ?? null;
}

/** The time since another time (Unix seconds). */
export function Ago({ at }: { at: number }) {
  const seconds = Math.min(0, at - Math.floor(useNow() / 1000));
  const [unit, length] = UNITS.find(([, size]) => -seconds >= size) ?? UNITS[3];
  const text = new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(
    Math.ceil(seconds / length),
    unit,
  );
  return (
    <time dateTime={isoText(at)} title={utcText(at)} class="number">
      {text}
    </time>
  );
}
