import { yieldToEventLoop } from "../../kit/event-loop.ts";
import {
  CATEGORY_NAMES,
  DAY_MILLISECONDS,
  type Pictures,
  type Reading,
  airQuality,
  concentrationText,
  currentReadings,
  type Frame,
  frameTimes,
  readingOf,
} from "../../../air-quality/index.ts";
import type { Clock } from "../../kit/time.ts";
import type { RecordReader } from "../../records/index.ts";
import { textMessage } from "../message.ts";
import type { Language } from "../texts/texts.ts";
import { type Command, moment, textReply } from "./command.ts";

/** Maximum age of a cached animation. */
const ANIMATION_AGE = 5 * 60_000;

export interface AirQualityDeps {
  readonly records: Pick<RecordReader, "newest">;
  readonly pictures: Pictures;
  /** Time for which maps display a value. */
  readonly readingMaxAgeMilliseconds: number;
  readonly clock: Clock;
}

/** `/providers`, `/map` and `/livemap`. */
export function airQualityCommands({
  records,
  pictures,
  readingMaxAgeMilliseconds: maxAge,
  clock,
}: AirQualityDeps): Record<"providers" | "map" | "livemap", Command> {
  const animations = new Map<
    Language,
    { readonly made: number; readonly newest: number; readonly drawn: Promise<Uint8Array> }
  >();

  /** Returns the cached animation unless it is outdated or there are new readings. */
  const animation = (readings: readonly Reading[], language: Language): Promise<Uint8Array> => {
    const now = clock();
    const newest = readings[0]?.time ?? 0;
    const cached = animations.get(language);
    if (cached !== undefined && cached.newest === newest && now - cached.made < ANIMATION_AGE) return cached.drawn;
    const drawn = framesOf(readings, now, maxAge).then((frames) => pictures.drawDay(frames, { language }));
    animations.set(language, { made: now, newest, drawn });
    drawn.catch(() => animations.delete(language));
    return drawn;
  };

  return {
    async providers({ texts, language }) {
      const now = clock();
      const current = currentReadings(await recentReadings(records, now - DAY_MILLISECONDS), now, DAY_MILLISECONDS);
      if (current.length === 0) return textReply(texts.noProviders);
      const lines = current.map(({ title, device, value, time }) => {
        const category = CATEGORY_NAMES[language][airQuality(value).category];
        return texts.provider(
          title,
          device,
          concentrationText(value),
          category,
          texts.ago(Math.floor((now - time) / 60_000)),
        );
      });
      const heading = texts.providers(current.length);
      return { messages: [textMessage([heading, ...lines].join("\n"), "providers.txt", heading)] };
    },

    async map({ texts, language }) {
      const now = clock();
      const current = currentReadings(await recentReadings(records, now - maxAge), now, maxAge);
      const picture = await pictures.drawMap(current, { language, time: now });
      return {
        messages: [
          {
            kind: "picture",
            name: "map.png",
            content: picture,
            caption: texts.mapCaption(current.length, moment(now)),
          },
        ],
      };
    },

    async livemap({ texts, language }) {
      const now = clock();
      const picture = await animation(await recentReadings(records, now - DAY_MILLISECONDS - maxAge), language);
      return {
        messages: [
          { kind: "animation", name: "livemap.gif", content: picture, caption: texts.livemapCaption(moment(now)) },
        ],
      };
    },
  };
}

const ROWS_PER_QUERY = 100;
/** Maximum rows read, and characters of their payloads, which bound memory and time. */
const MAX_ROWS = 50_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Computes the frames of a day one by one: with many readings each takes some milliseconds. */
async function framesOf(readings: readonly Reading[], end: number, maxAge: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (const time of frameTimes(end)) {
    await yieldToEventLoop();
    frames.push({ time, readings: currentReadings(readings, time, maxAge) });
  }
  return frames;
}

/**
 * Reads the readings of all senders, newest record first.
 * @param since Milliseconds since 1970
 */
async function recentReadings(records: Pick<RecordReader, "newest">, since: number): Promise<Reading[]> {
  const readings: Reading[] = [];
  let before: number | undefined;
  let characters = 0;
  for (let rows = 0; rows < MAX_ROWS && characters < MAX_CHARACTERS; rows += ROWS_PER_QUERY) {
    const found = await records.newest(ROWS_PER_QUERY, before);
    for (const record of found) {
      characters += record.payload.length;
      await yieldToEventLoop();
      const reading = record.overwrittenBy === undefined ? readingOf(record) : undefined;
      if (reading !== undefined && reading.time >= since) readings.push(reading);
    }
    const last = found.at(-1);
    // Rows are in chain order, so older rows have older timestamps.
    if (last === undefined || found.length < ROWS_PER_QUERY || Date.parse(last.createdAt) < since) break;
    before = last.position;
  }
  return readings;
}
