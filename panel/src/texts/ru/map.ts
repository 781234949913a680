import type { Texts } from "../texts.ts";

export const map: Texts["map"] = {
  title: "Качество воздуха",
  about:
    "Показания датчиков PM2.5, каждое — подписанная запись в блокчейне. Выберите точку, чтобы увидеть запись и " +
    "её доказательство.",
  mapLabel: "Карта датчиков. Те же значения — в таблице рядом.",
  legend: "Категории Агентства по охране окружающей среды США",
  unit: "мкг/м³",
  index: "AQI",
  place: "Место",
  value: "PM2.5",
  indexAndCategory: "AQI и категория",
  time: "Время",
  device: "Датчик",
  position: "Широта, долгота",
  sender: "Подписал",
  code: "Код",
  topic: "Тема",
  record: "Запись",
  proof: "Доказательство в блокчейне",
  inBlock: (block) => `в блоке ${block}`,
  lastDay: "Последние сутки",
  valuesOfDay: (count) => `Все значения за сутки (${count})`,
  chartSummary: (count, lowest, highest, from, to) =>
    `PM2.5 с ${from} по ${to}: значений — ${count}, от ${lowest} до ${highest} мкг/м³`,
  closeSensor: "Закрыть датчик",
  tableCaption: (moment) => `Значения на ${moment}, сначала наибольшие`,
  several: (count, worst) => `Датчиков: ${count}; наибольшее значение: ${worst}`,
  moment: "Момент, который показывает карта",
  now: (moment) => `Сейчас, ${moment}`,
  play: "Показать сутки",
  pause: "Пауза",
  refresh: "Обновить",
  updated: (moment) => `На ${moment}`,
  reading: (records) => `Поиск показаний, прочитано записей: ${records}…`,
  isTruncated: "Записей больше, чем здесь читается: более ранних значений за сутки нет.",
  empty: "Сейчас показаний нет",
  emptyHelp: "Отправьте запись по соглашению PM2.5, и она появится здесь.",
  zoomIn: "Ближе",
  zoomOut: "Дальше",
  indexNote:
    "Индекс вычислен по одному значению, по границам Агентства по охране окружающей среды США от мая 2024 " +
    "года; само агентство усредняет за сутки.",
};
