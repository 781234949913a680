import { useEffect, useRef } from "preact/hooks";
import { DAY_MILLISECONDS } from "../../../air-quality/readings.ts";
import type { Reading } from "../../../air-quality/reading.ts";
import { Button } from "../components/button.tsx";
import { Facts } from "../components/facts.tsx";
import { Icon } from "../components/icon.tsx";
import { JsonView } from "../components/json-view.tsx";
import { writtenJson } from "../components/written-json.ts";
import { Table } from "../components/table.tsx";
import { Moment } from "../format/moment.tsx";
import { shortened } from "../format/shortened.ts";
import { texts } from "../texts/texts.ts";
import { AirQualityBadge } from "./air-quality-badge.tsx";
import { Chart } from "./chart.tsx";
import { chosen, chosenSensor, series, updatedAt } from "./map-state.ts";
import { captionOf, concentration } from "./wording.ts";

/** The chosen sensor: its value, its record with the proof on the chain, and its day. */
export function SensorDetails() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "nearest" });
  }, [chosenSensor.value]);
  const reading = chosen.value;
  if (reading === undefined) return null;
  const { map } = texts.value;
  const { record, position } = reading;
  const { location } = record;
  return (
    <section class="card stack" aria-labelledby="air-sensor">
      <div class="row spread">
        <h2 id="air-sensor" class="air-sensor" ref={heading} tabIndex={-1}>
          {captionOf(reading)}
        </h2>
        <Button
          kind="quiet"
          icon="close"
          label={map.closeSensor}
          free
          onClick={() => (chosenSensor.value = undefined)}
        />
      </div>
      <div class="columns">
        <div class="stack">
          <p class="air-figure number">
            {concentration(reading.value)} <small>{map.unit}</small>
          </p>
          <AirQualityBadge value={reading.value} />
          <Facts
            of={[
              [map.time, <Moment at={reading.time / 1000} />],
              [map.device, reading.device],
              [map.position, `${position.lat}, ${position.lng}`],
              [map.sender, <code title={reading.sender}>{shortened(reading.sender)}</code>],
              [map.code, record.code],
              [map.topic, record.topic],
            ]}
          />
          {location === undefined ? null : (
            <p class="row">
              <a class="button" href={`/explorer/tx/${location.transactionHash}`}>
                <Icon name="link" />
                {map.proof}
              </a>
              <span class="muted small">{map.inBlock(location.blockNumber)}</span>
            </p>
          )}
          <details>
            <summary>{map.record}</summary>
            <JsonView label={map.record} value={writtenJson(record.payloadText)} />
          </details>
        </div>
        <div class="stack">
          <h3>{map.lastDay}</h3>
          <Chart series={series.value} from={updatedAt.value - DAY_MILLISECONDS} to={updatedAt.value} />
          <details>
            <summary>{map.valuesOfDay(series.value.length)}</summary>
            <Table<Reading>
              caption={map.lastDay}
              rows={series.value.toReversed()}
              keyOf={({ time, code }) => `${time} ${code}`}
              columns={[
                { title: map.time, cell: ({ time }) => <Moment at={time / 1000} /> },
                {
                  title: `${map.value}, ${map.unit}`,
                  cell: ({ value }) => <span class="number">{concentration(value)}</span>,
                },
                { title: map.indexAndCategory, cell: ({ value }) => <AirQualityBadge value={value} /> },
              ]}
            />
          </details>
        </div>
      </div>
    </section>
  );
}
