import type { Texts } from "../texts.ts";

export const tabs: Texts["tabs"] = {
  home: "Главная",
  records: "Записи",
  map: "Карта",
  proofs: "Доказательства",
};
