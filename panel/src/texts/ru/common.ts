import type { Texts } from "../texts.ts";

export const common: Texts["common"] = {
  copy: "Скопировать",
  copied: "Скопировано",
  close: "Закрыть",
  cancel: "Отмена",
  loading: "Загрузка…",
  reload: "Обновить страницу",
  notLoaded: "Не удалось загрузить эту часть.",
  notLoadedHelp: "Возможно, сервер перезапускается или был обновлён. Обновите страницу, чтобы продолжить.",
  serverSilent: "Сервер не отвечает",
  serverSilentHelp: "Возможно, он перезапускается или нет сети. Страница продолжит работу, когда он ответит.",
  chainSilent: "Цепочка не отвечает",
  chainSilentHelp: "Принятое сохранено. То, для чего нужна цепочка, ждёт её ответа.",
  language: "Язык",
  switchTheme: "Переключить светлую и тёмную тему",
  skip: "Перейти к содержанию",
  sections: "Разделы",
  explorer: "Обозреватель",
  marks: {
    overwritten: "Перезаписана",
    replay: "Повтор: подписана для другого места",
  },
  seconds: (count) => `${count} с`,
};
