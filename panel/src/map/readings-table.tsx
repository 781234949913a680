import type { FoundReading } from "./found-reading.ts";
import { sensorOf } from "../../../air-quality/readings.ts";
import { Table } from "../components/table.tsx";
import { Moment, utcText } from "../format/moment.tsx";
import { texts } from "../texts/texts.ts";
import { AirQualityBadge } from "./air-quality-badge.tsx";
import { chosenSensor, moment, shown } from "./map-state.ts";
import { captionOf, concentration } from "./wording.ts";

/** The values of the map as a table. */
export function ReadingsTable() {
  const { map } = texts.value;
  return (
    <Table<FoundReading>
      caption={map.tableCaption(utcText(moment.value / 1000))}
      rows={shown.value}
      keyOf={sensorOf}
      columns={[
        {
          title: map.place,
          cell: (reading) => (
            <button
              type="button"
              class="air-choose"
              aria-pressed={sensorOf(reading) === chosenSensor.value}
              onClick={() => (chosenSensor.value = sensorOf(reading))}
            >
              {captionOf(reading)}
            </button>
          ),
        },
        { title: `${map.value}, ${map.unit}`, cell: ({ value }) => <span class="number">{concentration(value)}</span> },
        { title: map.indexAndCategory, cell: ({ value }) => <AirQualityBadge value={value} /> },
        { title: map.time, cell: ({ time }) => <Moment at={time / 1000} /> },
      ]}
    />
  );
}
