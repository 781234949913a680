import { assert } from "chai";
import { createCanvas, GlobalFonts, loadImage } from "@napi-rs/canvas";
import { CATEGORY_COLOURS, type Category } from "../../../air-quality/category.ts";
import type { MapOptions } from "../../../air-quality/pictures/picture-options.ts";
import type { Reading } from "../../../air-quality/reading.ts";
import { currentReadings, frameTimes, HOUR_MILLISECONDS } from "../../../air-quality/readings.ts";
import { project } from "../../../air-quality/map/mercator.ts";
import { pixelOf } from "../../../air-quality/map/view.ts";
import { WorkerPool } from "../../../server/kit/workers/worker-pool.ts";
import { Pictures } from "../../../air-quality/pictures/pictures.ts";
import { FONT_FAMILY, registerFonts } from "../../../air-quality/pictures/label.ts";
import { drawSheet } from "../../../air-quality/pictures/sheet.ts";
import { serveTiles, type TileServer } from "../../support/tile-server.ts";

const NOON = Date.UTC(2026, 5, 1, 12);
const OPTIONS: MapOptions = { language: "en", time: NOON };
const OCEAN = "#D3E4EE";

function reading(lng: number, lat: number, value: number, other: Partial<Reading> = {}): Reading {
  return {
    sender: "0xa",
    device: `${lng} ${lat} ${value}`,
    title: "Roof",
    position: { lng, lat },
    value,
    time: NOON,
    code: "c",
    ...other,
  };
}

/** A picture that was taken apart into pixels. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  /** The colour of a pixel, as `#RRGGBB`. */
  at(x: number, y: number): string;
  /** How many pixels of a row of lines have a colour. */
  count(colour: string, fromY?: number, toY?: number): number;
}

async function pixelsOf(picture: Uint8Array): Promise<Pixels> {
  const image = await loadImage(Buffer.from(picture));
  const { width, height } = image;
  const context = createCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = Buffer.from(context.getImageData(0, 0, width, height).data.buffer);
  return {
    width,
    height,
    at: (x, y) => `#${hexAt(pixels, 4 * (Math.round(y) * width + Math.round(x)))}`,
    count(colour, fromY = 0, toY = height) {
      const wanted = Number.parseInt(colour.slice(1), 16);
      let count = 0;
      for (let offset = 4 * fromY * width; offset < 4 * toY * width; offset += 4)
        if (pixels.readUIntBE(offset, 3) === wanted) count += 1;
      return count;
    },
  };
}

function hexAt(pixels: Buffer, offset: number): string {
  return pixels.toString("hex", offset, offset + 3).toUpperCase();
}

/** Where the middles of readings are in a picture, as the projection says. */
async function positionsOf(readings: readonly Reading[], options: MapOptions = OPTIONS) {
  const { view, map } = await drawSheet(
    readings.map(({ position }) => position),
    options,
    undefined,
  );
  return {
    map,
    of: (each: Reading) => {
      const { x, y } = pixelOf(view, project(each.position));
      return { x: x + map.x, y: y + map.y };
    },
  };
}

describe("Map pictures", function () {
  const workers = new WorkerPool();
  const pictures = new Pictures(workers);
  before(registerFonts);
  after(() => workers.stop());

  async function expectColours(
    readings: readonly Reading[],
    colours: readonly string[],
    options: MapOptions = OPTIONS,
  ): Promise<void> {
    const picture = await pixelsOf(await pictures.drawMap(readings, options));
    const positions = await positionsOf(readings, options);
    for (const [index, each] of readings.entries()) {
      const { x, y } = positions.of(each);
      assert.equal(picture.at(x, y), colours[index], `at ${JSON.stringify(each.position)}`);
    }
  }

  it("have the colour of the category at the position of each reading", async () => {
    const readings = [5, 20, 40, 100, 200, 300].map((value, index) => reading(5 * index, 45 + (index % 2) * 5, value));
    const categories: readonly Category[] = [
      "good",
      "moderate",
      "unhealthy-sensitive",
      "unhealthy",
      "very-unhealthy",
      "hazardous",
    ];
    const colours = categories.map((category) => CATEGORY_COLOURS[category]);
    for (const size of [{}, { width: 400, height: 500 }, { width: 1200, height: 700 }])
      await expectColours(readings, colours, { ...OPTIONS, ...size });
  });

  it("have the requested size", async () => {
    const { width, height } = await pixelsOf(
      await pictures.drawMap([reading(0, 0, 1)], { ...OPTIONS, width: 321, height: 456 }),
    );
    assert.deepEqual({ width, height }, { width: 321, height: 456 });
  });

  it("show both sides of the date line next to each other", async () => {
    const readings = [reading(178.4, -18.1, 5), reading(-171.8, -13.8, 100)];
    await expectColours(readings, [CATEGORY_COLOURS.good, CATEGORY_COLOURS.unhealthy]);
    const positions = await positionsOf(readings);
    const [west, east] = readings.map((each) => positions.of(each).x);
    assert.isTrue(west !== undefined && east !== undefined && west < east && west > 0 && east < 1024);
  });

  it("show every value of sensors at the same position", async () => {
    const picture = await pixelsOf(await pictures.drawMap([reading(30.5, 50.4, 8), reading(30.5, 50.4, 160)], OPTIONS));
    const { map } = await positionsOf([reading(30.5, 50.4, 8)]);
    const bottom = Math.floor(map.y + map.height);
    assert.isAbove(picture.count(CATEGORY_COLOURS.good, 40, bottom), 100);
    assert.isAbove(picture.count(CATEGORY_COLOURS["very-unhealthy"], 40, bottom), 100);
  });

  it("have the sea and a legend, but no category on the map, without readings", async () => {
    const picture = await pixelsOf(await pictures.drawMap([], OPTIONS));
    const { map } = await positionsOf([]);
    const bottom = Math.floor(map.y + map.height);
    assert.isAbove(picture.count(OCEAN, 40, bottom), 100_000);
    for (const colour of Object.values(CATEGORY_COLOURS)) {
      assert.equal(picture.count(colour, 40, bottom), 0);
      assert.isAbove(picture.count(colour, bottom), 50);
    }
  });

  it("show the surroundings of a position on request", async () => {
    const [near, far] = [reading(10, 50, 5), reading(-100, 40, 300)];
    const picture = await pixelsOf(await pictures.drawMap([near, far], { ...OPTIONS, around: [near.position] }));
    const { map } = await positionsOf([near]);
    assert.equal(picture.count(CATEGORY_COLOURS.hazardous, 40, Math.floor(map.y + map.height)), 0);
  });

  it("accept any caption", async () => {
    const titles = [
      "",
      "\u0000\u001b[31m\n\t",
      "😀".repeat(300),
      "\ud800",
      "א".repeat(90),
      "W".repeat(100_000),
      "Київ",
    ];
    await expectColours(
      titles.map((title, index) => reading(index, 0, 5, { title })),
      titles.map(() => CATEGORY_COLOURS.good),
    );
  });

  it("are rejected in unsupported sizes", async () => {
    for (const [name, size] of [
      ["width", { width: 319 }],
      ["height", { height: 2049 }],
      ["width", { width: 400.5 }],
    ] as const) {
      const error: unknown = await pictures.drawMap([], { ...OPTIONS, ...size }).catch((caught: unknown) => caught);
      assert.instanceOf(error, RangeError);
      assert.match(String(error), new RegExp(`${name}: .* pixels`));
    }
  });

  it("use the bundled font", () => {
    assert.include(
      GlobalFonts.families.map(({ family }) => family),
      FONT_FAMILY,
    );
  });

  it("fail when they are stopped, and are drawn again afterwards", async () => {
    const stopped = new WorkerPool();
    const others = new Pictures(stopped);
    const drawing = others.drawMap([], OPTIONS).catch((error: unknown) => String(error));
    await stopped.stop();
    assert.match(String(await drawing), /Terminating worker thread/);
    assert.equal((await pixelsOf(await others.drawMap([], OPTIONS))).width, 1024);
    await stopped.stop();
  });

  describe("of a day", () => {
    const sensor = { sender: "0xa", device: "d" };
    const readings = Array.from({ length: 24 }, (_, hours) =>
      reading(20, 50, hours < 12 ? 5 : 100, { ...sensor, time: NOON - hours * HOUR_MILLISECONDS }),
    );

    it("are one repeating animation with a frame for each moment, starting with the first", async () => {
      const frames = frameTimes(NOON).map((time) => ({
        time,
        readings: currentReadings(readings, time, HOUR_MILLISECONDS),
      }));
      const gif = await pictures.drawDay(frames, { language: "ru", width: 480, height: 400 });
      assert.equal(Buffer.from(gif.subarray(0, 6)).toString(), "GIF89a");
      assert.include(Buffer.from(gif).toString("latin1"), "NETSCAPE2.0");
      assert.isBelow(gif.length, 5 * 1024 * 1024);
      // Each frame has a graphic control extension: its introducer, its label and its length.
      assert.lengthOf(Buffer.from(gif).toString("latin1").split("\x21\xf9\x04"), 24 + 1);
      const first = await pixelsOf(gif);
      const { x, y } = (await positionsOf(readings, { ...OPTIONS, language: "ru", width: 480, height: 400 })).of(
        reading(20, 50, 0),
      );
      assert.equal(first.at(x, y), CATEGORY_COLOURS.unhealthy);
    });

    it("are rejected without frames", async () => {
      const error: unknown = await pictures.drawDay([], { language: "en" }).catch((caught: unknown) => caught);
      assert.instanceOf(error, RangeError);
    });
  });

  describe("with tiles", () => {
    const TILE = "#ABCDEF";
    let tileServer: TileServer;
    before(async () => {
      tileServer = await serveTiles(TILE);
    });
    after(() => tileServer.stop());

    it("draw them below the readings, fetch each once, and only existing ones", async () => {
      const ofTiles = new WorkerPool();
      const tiled = new Pictures(ofTiles, { template: tileServer.template, attribution: "Tiles of the test" });
      try {
        const readings = [reading(-179.9, 60, 5), reading(179.9, 60.1, 100)];
        const picture = await pixelsOf(await tiled.drawMap(readings, OPTIONS));
        assert.isAbove(picture.count(TILE), 300_000);
        assert.isAbove(picture.count(CATEGORY_COLOURS.unhealthy, 40, 600), 100);
        const requested = tileServer.requested();
        assert.isNotEmpty(requested);
        for (const { zoom, column, row } of requested)
          assert.isTrue(column >= 0 && column < 2 ** zoom && row >= 0 && row < 2 ** zoom);
        await tiled.drawMap(readings, OPTIONS);
        assert.lengthOf(tileServer.requested(), requested.length);
      } finally {
        await ofTiles.stop();
      }
    });

    it("fall back to the plain map when the tiles fail, without an immediate retry", async () => {
      tileServer.fail();
      const before = tileServer.requested().length;
      const ofTiles = new WorkerPool();
      const tiled = new Pictures(ofTiles, { template: tileServer.template, attribution: "Tiles of the test" });
      try {
        const readings = [reading(178.4, -18.1, 5), reading(-171.8, -13.8, 100)];
        const picture = await pixelsOf(await tiled.drawMap(readings, OPTIONS));
        assert.equal(picture.count(TILE), 0);
        assert.isAbove(picture.count(OCEAN), 100_000);
        const requested = tileServer.requested().length;
        assert.isAbove(requested, before);
        await tiled.drawMap(readings, OPTIONS);
        assert.lengthOf(tileServer.requested(), requested);
      } finally {
        await ofTiles.stop();
      }
    });
  });
});
