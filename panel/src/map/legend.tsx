import { CATEGORY_COLOURS, CATEGORY_NAMES } from "../../../air-quality/category.ts";
import { PM25_BREAKPOINTS } from "../../../air-quality/index-of-pm25.ts";
import { texts } from "../texts/texts.ts";
import { categoryLanguage, concentration } from "./wording.ts";

/** Legend of the colours. */
export function Legend() {
  const { map } = texts.value;
  return (
    <ul class="air-legend" aria-label={map.legend}>
      {PM25_BREAKPOINTS.map(({ category, from, to, lowestIndex, highestIndex }) => (
        <li key={category}>
          <span class="air-swatch" style={{ background: CATEGORY_COLOURS[category] }} aria-hidden="true" />
          <span>
            <strong>{CATEGORY_NAMES[categoryLanguage()][category]}</strong>
            <small>
              {category === "hazardous"
                ? `${concentration(from / 10)}+`
                : `${concentration(from / 10)}–${concentration(to / 10)}`}{" "}
              {map.unit}
              {" · "}
              {map.index} {category === "hazardous" ? `${lowestIndex}+` : `${lowestIndex}–${highestIndex}`}
            </small>
          </span>
        </li>
      ))}
    </ul>
  );
}
