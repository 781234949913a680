import type { Texts } from "./texts.ts";

export const ru: Texts = {
  common: {
    copy: "Скопировать",
    copied: "Скопировано",
    close: "Закрыть",
    loading: "Загрузка…",
    reload: "Обновить страницу",
    notLoaded: "Не удалось загрузить эту часть.",
    notLoadedHelp: "Возможно, сервер перезапускается или был обновлён. Обновите страницу, чтобы продолжить.",
    language: "Язык",
    switchTheme: "Переключить светлую и тёмную тему",
    skip: "Перейти к содержанию",
    sections: "Разделы",
    explorer: "Обозреватель",
  },

  tabs: {
    home: "Главная",
    records: "Записи",
    map: "Карта",
    decode: "Разбор",
    proofs: "Доказательства",
  },

  home: {},

  records: {},

  map: {},

  decode: {},

  proofs: {},

  explorer: {},
};
