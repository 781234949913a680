import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { CATEGORY_COLOURS } from "../../../air-quality/category.ts";
import { airQuality, PM25_BREAKPOINTS } from "../../../air-quality/index-of-pm25.ts";
import type { Reading } from "../../../air-quality/reading.ts";
import { hourText, utcText } from "../format/moment.tsx";
import { language, texts } from "../texts/texts.ts";
import { shownTheme } from "../theme/theme.ts";
import { concentration } from "./wording.ts";

const HEIGHT = 220;
const POINT_RADIUS = 3.5;

/**
 * A sensor's values of a day on the colours of their categories. The table next to it has the same data for screen
 * readers.
 */
export function Chart({ series, from, to }: { series: readonly Reading[]; from: number; to: number }) {
  const container = useRef<HTMLDivElement>(null);
  const { map } = texts.value;
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const style = getComputedStyle(element);
    const [line, text] = [style.getPropertyValue("--line"), style.getPropertyValue("--muted")];
    const axis = {
      stroke: resolved(element, text),
      grid: { stroke: resolved(element, line), width: 1 },
      ticks: { show: false },
      font: "12px system-ui, sans-serif",
    };
    const data: uPlot.AlignedData = [series.map(({ time }) => time / 1000), series.map(({ value }) => value)];
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        cursor: { drag: { x: false, y: false }, points: { size: 8 } },
        scales: {
          x: { min: from / 1000, max: to / 1000 },
          y: { range: (_plot, _low, high) => [0, Math.max(12, high * 1.1)] },
        },
        axes: [
          { ...axis, space: 70, label: "UTC", labelSize: 18, values: (_plot, splits) => splits.map(hourText) },
          { ...axis, size: 48, values: (_plot, splits) => splits.map(concentration) },
        ],
        series: [{}, { stroke: resolved(element, text), width: 1.5, points: { show: false } }],
        hooks: { drawClear: [drawCategories], draw: [(drawn) => drawPoints(drawn, resolved(element, "var(--text)"))] },
      },
      data,
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [series, from, to, language.value, shownTheme.value]);
  const values = series.map(({ value }) => value);
  const summary = map.chartSummary(
    series.length,
    concentration(Math.min(...values)),
    concentration(Math.max(...values)),
    utcText(from / 1000),
    utcText(to / 1000),
  );
  return <div ref={container} class="air-chart" role="img" aria-label={summary} />;
}

/** Paints the categories below the values. */
function drawCategories(plot: uPlot): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = 0.16;
  for (const [index, { category, from }] of PM25_BREAKPOINTS.entries()) {
    const next = PM25_BREAKPOINTS[index + 1];
    const bottom = plot.valToPos(from / 10, "y", true);
    const top = next === undefined ? bbox.top : plot.valToPos(next.from / 10, "y", true);
    ctx.fillStyle = CATEGORY_COLOURS[category];
    ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
  }
  ctx.restore();
}

function drawPoints(plot: uPlot, outline: string): void {
  const { ctx } = plot;
  const [times, values] = plot.data;
  for (const [index, value] of (values ?? []).entries()) {
    const time = times[index];
    if (value === null || value === undefined || time === undefined) continue;
    ctx.beginPath();
    ctx.arc(
      plot.valToPos(time, "x", true),
      plot.valToPos(value, "y", true),
      POINT_RADIUS * devicePixelRatio,
      0,
      2 * Math.PI,
    );
    ctx.fillStyle = CATEGORY_COLOURS[airQuality(value).category];
    ctx.fill();
    ctx.strokeStyle = outline;
    ctx.lineWidth = devicePixelRatio;
    ctx.stroke();
  }
}

/** Resolves a colour of the style sheet for the canvas, in the theme that is shown. */
function resolved(element: HTMLElement, colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
