import { assert } from "chai";
import fc from "fast-check";
import { eventName } from "../../../server/records/row-data.ts";

describe("event name", () => {
  const cases: [topic: string, name: string][] = [
    ["pm25", "pm25"],
    ["air quality: PM2.5", "airqualityPM25"],
    ["a_b-c", "a_b-c"],
    ["Київ Ω漢字 ١٢", "КиївΩ漢字١٢"],
    ["𝒳😀𐐷", "𝒳𐐷"],
    ["|%/\\\"'<>\n", "event"],
    ["", "event"],
    ["- _", "-_"],
    ["½Ⅷ", "event"],
  ];
  for (const [topic, name] of cases) {
    it(`of ${JSON.stringify(topic)} is ${name}`, () => assert.equal(eventName(topic), name));
  }

  it("is never empty, and is its own name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (topic) => {
        const name = eventName(topic);
        assert.match(name, /^[\p{L}\p{Nd}_-]+$/u);
        assert.equal(eventName(name), name);
      }),
    );
  });
});
