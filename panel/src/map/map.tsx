import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Empty } from "../components/empty.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { utcText } from "../format/moment.tsx";
import { texts } from "../texts/texts.ts";
import { Legend } from "./legend.tsx";
import "./map.css";
import { failure, found, progress, refresh, shown, updatedAt } from "./map-state.ts";
import { ReadingsTable } from "./readings-table.tsx";
import { SensorDetails } from "./sensor-details.tsx";
import { Timeline } from "./timeline.tsx";
import { WorldMap } from "./world-map.tsx";

const REFRESH_MILLISECONDS = 60_000;

/** The air-quality map. */
export default function MapTab() {
  const { map } = texts.value;
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => void refresh(), REFRESH_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{map.title}</h1>
          <p>{map.about}</p>
        </div>
        <div class="row">
          {found.value === undefined ? null : (
            <span class="muted small">{map.updated(utcText(updatedAt.value / 1000))}</span>
          )}
          <Button busy={progress.value !== undefined} onClick={() => void refresh()}>
            {map.refresh}
          </Button>
        </div>
      </div>
      {failure.value === undefined ? null : <ErrorNotice error={failure.value} />}
      {found.value === undefined && progress.value !== undefined ? (
        <Progress>{map.reading(progress.value)}</Progress>
      ) : null}
      {found.value?.isTruncated === true ? <Notice kind="warning">{map.isTruncated}</Notice> : null}
      <div class="air">
        <div class="card air-map-card">
          <WorldMap />
          <Timeline />
          <Legend />
        </div>
        {shown.value.length > 0 ? (
          <ReadingsTable />
        ) : found.value === undefined ? null : (
          <Empty icon="map" title={map.empty}>
            {map.emptyHelp}
          </Empty>
        )}
      </div>
      <SensorDetails />
      <p class="muted small">{map.indexNote}</p>
    </div>
  );
}
