import { assert } from "chai";
import fc from "fast-check";
import { clustersOf } from "../../../air-quality/map/clusters.ts";
import { layOut, overlap } from "../../../air-quality/map/label-layout.ts";
import { MAX_LATITUDE, metresPerPixel, project, unproject, scaleBar } from "../../../air-quality/map/mercator.ts";
import { fitView, pixelOf } from "../../../air-quality/map/view.ts";

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const position = fc.record({ lng: number(-180, 180), lat: number(-84, 84) });
const size = fc.record({ width: fc.integer({ min: 200, max: 2000 }), height: fc.integer({ min: 200, max: 2000 }) });

describe("map projection", () => {
  it("matches the positions of tiles", () => {
    assert.deepEqual(project({ lng: 0, lat: 0 }), { x: 0.5, y: 0.5 });
    assert.closeTo(project({ lng: -180, lat: MAX_LATITUDE }).y, 0, 1e-9);
    // Tile 8/199/118 has Bangkok in it.
    const { x, y } = project({ lng: 100.52, lat: 13.74 });
    assert.deepEqual([Math.floor(x * 256), Math.floor(y * 256)], [199, 118]);
  });

  it("is reverted by its inverse", () => {
    fc.assert(
      fc.property(position, (given) => {
        const { lng, lat } = unproject(project(given));
        assert.closeTo(lat, given.lat, 1e-6);
        assert.closeTo(Math.cos(((lng - given.lng) * Math.PI) / 180), 1, 1e-9);
      }),
    );
  });

  it("computes the distance per pixel", () => {
    assert.closeTo(metresPerPixel(0, 0), 156_543, 1);
    assert.closeTo(metresPerPixel(60, 10), 76.4, 0.1);
  });
});

describe("map view", () => {
  it("contains all positions, with at least the padding to every side", () => {
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 20 }), size, (positions, { width, height }) => {
        const padding = 30;
        const view = fitView(positions, { width, height }, { padding, maxZoom: 10 });
        for (const each of positions) {
          const { x, y } = pixelOf(view, project(each));
          // Where even the whole world is too small to leave room, zoom 0 is all there is.
          const room = view.zoom === 0 ? 0 : padding - 1e-6;
          if (view.zoom > 0 || width > 256)
            assert.isTrue(x >= room && x <= width - room, `x ${x} at zoom ${view.zoom}`);
          if (view.zoom > 0) assert.isTrue(y >= 0 && y <= height, `y ${y} at zoom ${view.zoom}`);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("crosses the date line where that is shorter", () => {
    const view = fitView(
      [
        { lng: 179, lat: -18 },
        { lng: -179, lat: -18 },
      ],
      { width: 800, height: 600 },
      { padding: 50, maxZoom: 12 },
    );
    assert.isAbove(view.zoom, 7);
    assert.closeTo(pixelOf(view, project({ lng: 179, lat: -18 })).x, 50, 1e-6);
    assert.closeTo(pixelOf(view, project({ lng: -179, lat: -18 })).x, 750, 1e-6);
  });

  it("respects the maximum zoom, and whole numbers for tiles", () => {
    const one = [{ lng: 10, lat: 50 }];
    assert.equal(fitView(one, { width: 800, height: 600 }, { padding: 50, maxZoom: 7.5 }).zoom, 7.5);
    const two = [...one, { lng: 10.7, lat: 50 }];
    assert.isTrue(
      Number.isInteger(fitView(two, { width: 800, height: 600 }, { padding: 50, maxZoom: 12, wholeZoom: true }).zoom),
    );
  });

  it("is the world without positions", () => {
    const view = fitView([], { width: 1024, height: 640 }, { padding: 50, maxZoom: 12 });
    assert.isBelow(view.zoom, 2.1);
  });
});

describe("scale bar", () => {
  it("is the longest round distance that fits", () => {
    fc.assert(
      fc.property(number(0.1, 100_000), fc.integer({ min: 40, max: 300 }), (metresPerPixel, most) => {
        const { metres, pixels } = scaleBar(metresPerPixel, most);
        assert.match(String(metres), /^(0\.0*)?[125]0*$|^[125]e\+?-?\d+$/);
        assert.isTrue(pixels <= most * 1.000001 && pixels > most / 2.6, `${pixels} of ${most}`);
      }),
    );
    assert.deepEqual(scaleBar(100, 120), { metres: 10_000, pixels: 100 });
  });
});

describe("clusters", () => {
  const pixel = fc.record({ x: number(0, 500), y: number(0, 500) });

  it("contain every position once, without overlaps", () => {
    fc.assert(
      fc.property(fc.array(pixel, { maxLength: 80 }), (pixels) => {
        const clusters = clustersOf(pixels, (each) => each, 20);
        assert.sameMembers(
          clusters.flatMap(({ members }) => members),
          pixels,
        );
        for (const [index, { x, y, members }] of clusters.entries()) {
          assert.deepEqual({ x, y }, members[0]);
          for (const other of clusters.slice(index + 1)) assert.isAtLeast(Math.hypot(x - other.x, y - other.y), 20);
        }
      }),
    );
  });
});

describe("label layout", () => {
  const mark = fc.record({
    x: number(0, 600),
    y: number(0, 400),
    radius: fc.integer({ min: 4, max: 14 }),
    sizes: fc.array(fc.record({ width: fc.integer({ min: 20, max: 160 }), height: fc.integer({ min: 12, max: 60 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  const bounds = { x: 0, y: 0, width: 600, height: 400 };
  const taken = [{ x: 0, y: 370, width: 120, height: 30 }];

  it("avoids overlaps with labels, marks and reserved areas, and stays within the picture", () => {
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 40 }), (marks) => {
        const boxes = layOut(marks, bounds, { taken }).map((placed) => placed?.box);
        const occupied = marks.map(({ x, y, radius }) => ({
          x: x - radius,
          y: y - radius,
          width: 2 * radius,
          height: 2 * radius,
        }));
        for (const [index, box] of boxes.entries()) {
          if (box === undefined) continue;
          assert.isTrue(box.x >= 0 && box.y >= 0 && box.x + box.width <= 600 && box.y + box.height <= 400);
          const others = boxes
            .filter((other, at) => other !== undefined && at !== index)
            .flatMap((other) => other ?? []);
          for (const other of [...others, ...occupied, ...taken]) assert.isFalse(overlap(box, other));
        }
      }),
      { numRuns: 200 },
    );
  });

  it("places an isolated label in full beside its mark, without a line", () => {
    const alone = {
      x: 300,
      y: 200,
      radius: 8,
      sizes: [
        { width: 100, height: 20 },
        { width: 30, height: 20 },
      ],
    };
    const [placed] = layOut([alone], bounds);
    assert.deepEqual(placed, { box: { x: 311, y: 190, width: 100, height: 20 }, size: 0 });
  });

  it("draws a line to a label without space beside its mark, unless lines are disabled", () => {
    const crowd = [
      [0, 0],
      [22, 0],
      [-22, 0],
      [0, 22],
      [0, -22],
    ] as const;
    const marks = crowd.map(([dx, dy]) => ({
      x: 300 + dx,
      y: 200 + dy,
      radius: 10,
      sizes: [{ width: 60, height: 18 }],
    }));
    assert.isDefined(layOut(marks, bounds)[0]?.leader);
    assert.isTrue(layOut(marks, bounds, { leaders: false }).every((placed) => placed?.leader === undefined));
  });
});
