import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { type FoundRecord, type Reading, readingOf } from "../../air-quality/reading.ts";
import { currentReadings, frameTimes, HOUR_MILLISECONDS, sensorOf, sensorSeries } from "../../air-quality/readings.ts";

const NOON = Date.UTC(2026, 5, 1, 12);

function record(payload: unknown, other: Partial<FoundRecord> = {}): FoundRecord {
  const json = typeof payload === "string" ? payload : JSON.stringify(payload);
  return {
    sender: `0x${"1a".repeat(20)}`,
    code: "station-1",
    topic: "PM2.5",
    createdAt: new Date(NOON).toUTCString(),
    payload: Buffer.from(json).toString("base64"),
    ...other,
  };
}

const CONVENTION = {
  sensorvalue: 12.5,
  sensordevice: "SDS011",
  enrichment: { position: { lng: 100.52, lat: 13.74 }, title: "Крыша 屋根" },
};

function reading(hour: number, value: number, other: Partial<Reading> = {}): Reading {
  const time = NOON + hour * HOUR_MILLISECONDS;
  return { sender: "0xa", device: "d", title: "", position: { lng: 0, lat: 0 }, code: "c", value, time, ...other };
}

describe("a reading of a record", () => {
  it("contains the fields of the PM2.5 convention", () => {
    assert.deepEqual(readingOf(record(CONVENTION)), {
      sender: `0x${"1a".repeat(20)}`,
      device: "SDS011",
      title: "Крыша 屋根",
      position: { lng: 100.52, lat: 13.74 },
      value: 12.5,
      time: NOON,
      code: "station-1",
    });
  });

  it("accepts coordinates as text, and additional keys", () => {
    const found = readingOf(
      record({
        ...CONVENTION,
        details: {},
        notification: false,
        enrichment: { position: { lng: "-30.5", lat: " 50.450001 " }, title: "Київ" },
      }),
    );
    assert.deepEqual(found?.position, { lng: -30.5, lat: 50.450001 });
  });

  it("is parsed from transactions of other systems, one level deeper", () => {
    const vector = JSON.parse(
      readFileSync(join(import.meta.dirname, "../vectors/calldata/foreign-set-coordinates.json"), "utf8"),
    ) as { transaction: { rowdata: { payload: unknown } } };
    const found = readingOf(record(vector.transaction.rowdata.payload));
    assert.deepInclude(found, {
      value: 8,
      device: "SDS011",
      title: "Київ",
      position: { lng: 30.523333, lat: 50.450001 },
    });
  });

  it("has an optional caption", () => {
    assert.equal(
      readingOf(record({ ...CONVENTION, enrichment: { position: CONVENTION.enrichment.position } }))?.title,
      "",
    );
  });

  const at = (position: unknown) => ({ ...CONVENTION, enrichment: { position, title: "x" } });
  const others: Record<string, unknown> = {
    "a value that is text": { ...CONVENTION, sensorvalue: "12.5" },
    "no value": { ...CONVENTION, sensorvalue: null },
    "a negative value": { ...CONVENTION, sensorvalue: -1 },
    "a value that no air has": { ...CONVENTION, sensorvalue: 1e6 },
    "no device": { ...CONVENTION, sensordevice: undefined },
    "a device that is no text": { ...CONVENTION, sensordevice: 1 },
    "a caption that is no text": { ...CONVENTION, enrichment: { ...CONVENTION.enrichment, title: {} } },
    "no enrichment": { ...CONVENTION, enrichment: undefined },
    "a list for enrichment": { ...CONVENTION, enrichment: [] },
    "no position": at(undefined),
    "half a position": at({ lng: 1 }),
    "a longitude out of range": at({ lng: 180.01, lat: 0 }),
    "a latitude out of range": at({ lng: 0, lat: "-90.5" }),
    "coordinates that are no numbers": at({ lng: "", lat: "1e1" }),
    "coordinates in other notations": at({ lng: "0x10", lat: "10" }),
    "a list": [CONVENTION],
    "what is no JSON": "{",
  };
  for (const [name, payload] of Object.entries(others)) {
    it(`is rejected with ${name}`, () => assert.isUndefined(readingOf(record(payload))));
  }

  it("is rejected without a date, or with an invalid payload", () => {
    assert.isUndefined(readingOf(record(CONVENTION, { createdAt: "yesterday" })));
    assert.isUndefined(readingOf(record(CONVENTION, { payload: "%" })));
    assert.isUndefined(readingOf(record(CONVENTION, { payload: Buffer.from([0xff, 0xfe]).toString("base64") })));
  });
});

describe("readings", () => {
  it("are current when newest of their sensor, not too old, and not in the future", () => {
    const readings = [
      reading(-2, 1),
      reading(-1, 2),
      reading(1, 3),
      reading(-1.5, 4, { device: "e" }),
      reading(-3, 5, { sender: "0xb" }),
      reading(-4, 6, { sender: "0xc" }),
    ];
    assert.deepEqual(
      currentReadings(readings, NOON, 3 * HOUR_MILLISECONDS).map(({ value }) => value),
      [2, 4, 5],
    );
  });

  it("belong to one sensor for any notation of the sender's address, and to others by device or caption", () => {
    const sensor = { sender: "0xab", device: "SDS011", title: "Roof" };
    assert.equal(sensorOf({ ...sensor, sender: "0xAB" }), sensorOf(sensor));
    for (const other of [
      { sender: "0xac" },
      { device: "sds011" },
      { title: "Cellar" },
      { device: "SDS011 Roof", title: "" },
    ]) {
      assert.notEqual(sensorOf({ ...sensor, ...other }), sensorOf(sensor));
    }
  });

  it("form the series of a sensor, oldest first", () => {
    const readings = [reading(0, 3), reading(-2, 1), reading(-1, 2), reading(-30, 9), reading(-1, 8, { device: "e" })];
    const series = sensorSeries(readings, sensorOf(reading(0, 0)), NOON - 24 * HOUR_MILLISECONDS, NOON);
    assert.deepEqual(
      series.map(({ value }) => value),
      [1, 2, 3],
    );
  });

  it("form a day of frames that ends now", () => {
    const readings = Array.from({ length: 30 }, (_, hours) => reading(-hours, hours));
    const times = frameTimes(NOON);
    assert.lengthOf(times, 24);
    assert.equal(times.at(-1), NOON);
    assert.equal(times[0], NOON - 23 * HOUR_MILLISECONDS);
    assert.deepEqual(
      times.map((time) => currentReadings(readings, time, HOUR_MILLISECONDS).map(({ value }) => value)),
      Array.from({ length: 24 }, (_, index) => [23 - index]),
    );
    assert.isEmpty(currentReadings([], NOON, 1));
  });
});
