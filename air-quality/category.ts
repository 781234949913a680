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

/** A language of the category names. */
export type Language = "en" | "ru";

/** The EPA's colours of the categories, as `#RRGGBB`. */
export const CATEGORY_COLOURS: Readonly<Record<Category, string>> = {
  good: "#00E400",
  moderate: "#FFFF00",
  "unhealthy-sensitive": "#FF7E00",
  unhealthy: "#FF0000",
  "very-unhealthy": "#8F3F97",
  hazardous: "#7E0023",
};

/** Text colour with the best contrast on a category's colour: black or white. */
export const CATEGORY_TEXT_COLOURS: Readonly<Record<Category, string>> = {
  good: "#000000",
  moderate: "#000000",
  "unhealthy-sensitive": "#000000",
  unhealthy: "#000000",
  "very-unhealthy": "#FFFFFF",
  hazardous: "#FFFFFF",
};

/** Names of the categories. */
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
