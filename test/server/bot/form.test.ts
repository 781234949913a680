import { assert } from "chai";
import fc from "fast-check";
import {
  answerForm,
  beginForm,
  completed,
  type Draft,
  keepAnswer,
  previousStep,
  type SensorForm,
} from "../../../server/bot/form.ts";
import { parsePosition } from "../../../server/bot/position.ts";
import { parseReading } from "../../../server/bot/reading.ts";

const text = (value: string) => ({ kind: "text", text: value }) as const;
const responses: fc.Arbitrary<(draft: Draft) => Draft> = fc.oneof(
  fc.constant(previousStep),
  fc.constant(keepAnswer),
  fc.oneof(fc.string(), fc.constantFrom("Roof", "1, 2", "https://a.example/ $.b")).map((value) => (draft: Draft) => {
    const next = answerForm(draft, text(value));
    return typeof next === "string" ? draft : next;
  }),
);
const form: SensorForm = {
  name: "N",
  device: "D",
  location: { lat: 1, lng: 2 },
  title: "T",
  source: { kind: "typed" },
};

describe("the registration form", function () {
  it("is complete exactly when all fields are filled and it waits for confirmation, after any inputs", () => {
    fc.assert(
      fc.property(fc.array(responses, { maxLength: 40 }), (acts) => {
        const draft = acts.reduce((now, act) => act(now), beginForm());
        assert.equal(completed(draft) !== undefined, draft.step === "confirm");
      }),
    );
  });

  it("is unchanged when every answer is kept", () => {
    let draft = beginForm(form);
    while (draft.step !== "confirm") draft = keepAnswer(draft);
    assert.deepEqual(completed(draft), form);
  });

  it("accepts all valid coordinates unchanged", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -90e6, max: 90e6 }),
        fc.integer({ min: -180e6, max: 180e6 }),
        fc.constantFrom(", ", ",", " ", ";"),
        (lat, lng, between) => {
          const location = { lat: lat / 1e6, lng: lng / 1e6 };
          assert.deepEqual(parsePosition(`${location.lat.toFixed(6)}${between}${location.lng.toFixed(6)}`), {
            lat: Number(location.lat.toFixed(6)),
            lng: Number(location.lng.toFixed(6)),
          });
        },
      ),
    );
  });

  for (const [written, location] of [
    ["13°N 100.5°E", { lat: 13, lng: 100.5 }],
    ["13.5 S, 100.5 W", { lat: -13.5, lng: -100.5 }],
  ] as const) {
    it(`accepts ${written}`, () => assert.deepEqual(parsePosition(written), location));
  }
  for (const written of ["", "13", "1,2,3", "north", "1e1, 2", "13.7.5, 2"]) {
    it(`rejects ${JSON.stringify(written)} as a location`, () =>
      assert.equal(parsePosition(written), "not_a_position"));
  }

  for (const [written, value] of [
    ["12.5", 12.5],
    ["12,5", 12.5],
    ["0", 0],
    [" 7 ", 7],
    ["10000", 10_000],
  ] as const) {
    it(`accepts ${JSON.stringify(written)} as a value`, () => assert.equal(parseReading(written), value));
  }
  for (const written of ["", "-1", "1e3", "10000.1", "NaN", "Infinity", "1.2.3", "0x10", "5 µg"]) {
    it(`rejects ${JSON.stringify(written)} as a value`, () => assert.isUndefined(parseReading(written)));
  }
});
