import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { DAY_MILLISECONDS } from "../../../air-quality/readings.ts";
import { Button } from "../components/button.tsx";
import { utcText } from "../format/moment.tsx";
import { texts } from "../texts/texts.ts";
import { ago, moment } from "./map-state.ts";

/** A day has a step each quarter of an hour. */
const STEP_MILLISECONDS = 900_000;
const STEPS = DAY_MILLISECONDS / STEP_MILLISECONDS;
/** Duration of a step while the day plays. */
const SHOWN_MILLISECONDS = 150;

/** Selects the time that the map shows, and plays the last day. */
export function Timeline() {
  const isPlaying = useSignal(false);
  const { map } = texts.value;
  const step = STEPS - Math.round(ago.value / STEP_MILLISECONDS);
  useEffect(() => {
    if (!isPlaying.value) return;
    let last = performance.now();
    const timer = setInterval(() => {
      // Skips steps if drawing a step needs longer than its display time.
      const steps = Math.max(1, Math.floor((performance.now() - last) / SHOWN_MILLISECONDS));
      last = performance.now();
      ago.value = Math.max(0, ago.value - steps * STEP_MILLISECONDS);
      if (ago.value === 0) isPlaying.value = false;
    }, SHOWN_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isPlaying.value]);
  const play = () => {
    if (!isPlaying.value && ago.value === 0) ago.value = DAY_MILLISECONDS;
    isPlaying.value = !isPlaying.value;
  };
  const time = utcText(moment.value / 1000);
  const text = ago.value === 0 ? map.now(time) : time;
  return (
    <div class="air-timeline">
      <Button free icon={isPlaying.value ? "pause" : "play"} onClick={play}>
        {isPlaying.value ? map.pause : map.play}
      </Button>
      <input
        type="range"
        min={0}
        max={STEPS}
        value={step}
        aria-label={map.moment}
        aria-valuetext={text}
        onInput={(event) => {
          isPlaying.value = false;
          ago.value = (STEPS - event.currentTarget.valueAsNumber) * STEP_MILLISECONDS;
        }}
      />
      <output class="number">{text}</output>
    </div>
  );
}
