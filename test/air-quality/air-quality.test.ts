import { assert } from "chai";
import fc from "fast-check";
import {
  CATEGORIES,
  CATEGORY_COLOURS,
  CATEGORY_NAMES,
  CATEGORY_TEXT_COLOURS,
  type Category,
} from "../../air-quality/category.ts";
import { airQuality, concentrationText, indexText } from "../../air-quality/index-of-pm25.ts";

/** The EPA's table of May 2024: the two ends of each category, in micrograms per cubic metre, and their index. */
const TABLE: readonly (readonly [Category, low: number, lowIndex: number, high: number, highIndex: number])[] = [
  ["good", 0, 0, 9, 50],
  ["moderate", 9.1, 51, 35.4, 100],
  ["unhealthy-sensitive", 35.5, 101, 55.4, 150],
  ["unhealthy", 55.5, 151, 125.4, 200],
  ["very-unhealthy", 125.5, 201, 225.4, 300],
  ["hazardous", 225.5, 301, 325.4, 500],
];

/** WCAG's contrast of two colours. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe("air-quality index of PM2.5", () => {
  for (const [category, low, lowIndex, high, highIndex] of TABLE) {
    it(`is ${lowIndex} to ${highIndex}, ${category}, from ${low} to ${high} µg/m³`, () => {
      assert.deepEqual(airQuality(low), { category, index: lowIndex, beyond: false });
      assert.deepEqual(airQuality(high), { category, index: highIndex, beyond: false });
    });

    it(`ignores hundredths: up to ${high + 0.1} it is still ${category}`, () => {
      assert.equal(airQuality(high + 0.099).category, category);
      assert.equal(airQuality(high + 0.099).index, highIndex);
    });
  }

  it("is interpolated between breakpoints and rounded", () => {
    // (100 - 51) / (35.4 - 9.1) * (20 - 9.1) + 51 = 71.3; (150 - 101) / (55.4 - 35.5) * (45 - 35.5) + 101 = 124.4
    assert.equal(airQuality(20).index, 71);
    assert.equal(airQuality(45).index, 124);
    assert.equal(airQuality(4.5).index, 25);
  });

  it("ends at 500, and marks higher values", () => {
    assert.deepEqual(airQuality(325.5), { category: "hazardous", index: 500, beyond: true });
    assert.equal(indexText(airQuality(325.4)), "500");
    assert.equal(indexText(airQuality(1000)), "500+");
  });

  it("is undefined for invalid concentrations", () => {
    for (const value of [-0.1, Number.NaN, Number.NEGATIVE_INFINITY])
      assert.throws(() => airQuality(value), RangeError, String(value));
  });

  it("never decreases with the concentration, and stays within its category's range", () => {
    const concentration = fc.oneof(
      fc.double({ min: 0, max: 400, noNaN: true }),
      fc.integer({ min: 0, max: 4000 }).map((tenths) => tenths / 10),
    );
    fc.assert(
      fc.property(concentration, concentration, (one, other) => {
        const [low, high] = [airQuality(Math.min(one, other)), airQuality(Math.max(one, other))];
        assert.isAtMost(low.index, high.index);
        assert.isAtMost(CATEGORIES.indexOf(low.category), CATEGORIES.indexOf(high.category));
        const [, , lowIndex = 0, , highIndex = 0] = TABLE[CATEGORIES.indexOf(low.category)] ?? [];
        assert.isTrue(low.index >= lowIndex && low.index <= highIndex, `${low.index} in ${low.category}`);
      }),
      { numRuns: 1000 },
    );
  });

  it("shows a concentration with at most one decimal", () => {
    assert.deepEqual([0, 8, 12.5, 12.34, 99.96, 1234.5].map(concentrationText), [
      "0",
      "8",
      "12.5",
      "12.3",
      "100",
      "1234.5",
    ]);
  });
});

describe("air-quality categories", () => {
  it("have a name in every language, a unique colour, and readable text on it", () => {
    for (const names of Object.values(CATEGORY_NAMES)) {
      assert.lengthOf(
        new Set(CATEGORIES.map((category) => names[category]).filter((name) => name !== "")),
        CATEGORIES.length,
      );
    }
    assert.lengthOf(new Set(Object.values(CATEGORY_COLOURS)), CATEGORIES.length);
    for (const category of CATEGORIES) {
      assert.isAtLeast(contrast(CATEGORY_COLOURS[category], CATEGORY_TEXT_COLOURS[category]), 4.5, category);
    }
  });
});
