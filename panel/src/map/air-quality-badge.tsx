import { CATEGORY_COLOURS, CATEGORY_NAMES, CATEGORY_TEXT_COLOURS } from "../../../air-quality/category.ts";
import { airQuality, indexText } from "../../../air-quality/index-of-pm25.ts";
import { categoryLanguage } from "./wording.ts";

/** The index of a concentration on its category's colour, with the category's name. */
export function AirQualityBadge({ value }: { value: number }) {
  const quality = airQuality(value);
  const { category } = quality;
  return (
    <span class="air-badge">
      <span
        class="air-index number"
        style={{ background: CATEGORY_COLOURS[category], color: CATEGORY_TEXT_COLOURS[category] }}
      >
        {indexText(quality)}
      </span>
      <span>{CATEGORY_NAMES[categoryLanguage()][category]}</span>
    </span>
  );
}
