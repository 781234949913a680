export const map = {
  title: "Air quality",
<<<<<<< HEAD
  about:
    "PM2.5 as the sensors said it, each value a signed record on the chain. Choose a point for its record and " +
    "its proof.",
=======
  about: "PM2.5 values of the sensors, each a signed record on the chain. Select a point for its record and its proof.",
>>>>>>> trunk
  mapLabel: "Map of the sensors. The table beside it has the same values.",
  legend: "Categories of the US EPA",
  unit: "µg/m³",
  index: "AQI",
  place: "Place",
  value: "PM2.5",
  indexAndCategory: "AQI and category",
  time: "Time",
  device: "Sensor",
  position: "Latitude, longitude",
  sender: "Signed by",
  code: "Code",
  topic: "Topic",
  record: "Record",
  proof: "Proof on the chain",
  inBlock: (block: number) => `in block ${block}`,
  lastDay: "The last day",
  valuesOfDay: (count: number) => `All values of the day (${count})`,
  chartSummary: (count: number, lowest: string, highest: string, from: string, to: string) =>
    `PM2.5 from ${from} to ${to}: ${count} values from ${lowest} to ${highest} µg/m³`,
  closeSensor: "Close the sensor",
  tableCaption: (moment: string) => `Values of ${moment}, the highest first`,
  several: (count: number, worst: string) => `${count} sensors; the highest: ${worst}`,
  moment: "Time shown on the map",
  now: (moment: string) => `Now, ${moment}`,
  play: "Play the day",
  pause: "Pause",
  refresh: "Refresh",
  updated: (moment: string) => `As of ${moment}`,
  reading: (records: number) => `Loading readings: ${records} records read…`,
  isCut: "There are too many records to load. Older values of the day are missing.",
  empty: "No current readings",
  emptyHelp: "Records in the PM2.5 format appear here.",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  indexNote:
<<<<<<< HEAD
    "The index is that of the single value, by the US EPA's breakpoints of May 2024; the EPA's own figures are " +
    "averages of a day.",
=======
    "The index applies to the single value, with the US EPA's breakpoints of May 2024; the EPA publishes daily " +
    "averages.",
>>>>>>> trunk
};
