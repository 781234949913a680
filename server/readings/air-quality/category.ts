/** The categories of the US EPA's air-quality index, from clean to worst. */
export const CATEGORIES = [
  "good",
  "moderate",
  "unhealthy-sensitive",
  "unhealthy",
  "very-unhealthy",
  "hazardous",
] as const;

/** A category of the index. */
export type Category = (typeof CATEGORIES)[number];

/** A language that names of categories exist in. */
export type Language = "en" | "ru";

/** The colours that the EPA gives the categories, as `#RRGGBB`. */
export const CATEGORY_COLOURS: Readonly<Record<Category, string>> = {
  good: "#00E400",
  moderate: "#FFFF00",
  "unhealthy-sensitive": "#FF7E00",
  unhealthy: "#FF0000",
  "very-unhealthy": "#8F3F97",
  hazardous: "#7E0023",
};

/** The colour in which text is read best on a category's own: black or white. */
export const CATEGORY_TEXT_COLOURS: Readonly<Record<Category, string>> = {
  good: "#000000",
  moderate: "#000000",
  "unhealthy-sensitive": "#000000",
  unhealthy: "#000000",
  "very-unhealthy": "#FFFFFF",
  hazardous: "#FFFFFF",
};

/** What a category is called. */
export const CATEGORY_NAMES: Readonly<Record<Language, Readonly<Record<Category, string>>>> = {
  en: {
    good: "Good",
    moderate: "Moderate",
    "unhealthy-sensitive": "Unhealthy for sensitive groups",
    unhealthy: "Unhealthy",
    "very-unhealthy": "Very unhealthy",
    hazardous: "Hazardous",
  },
  ru: {
    good: "Хорошо",
    moderate: "Умеренно",
    "unhealthy-sensitive": "Вредно для чувствительных групп",
    unhealthy: "Вредно",
    "very-unhealthy": "Очень вредно",
    hazardous: "Опасно",
  },
};
