import type { Texts } from "../texts.ts";

export const api: Texts["api"] = {
  title: "API",
  about:
    "Оба API этого сервера и вызовы, которые можно скопировать. " +
    "Примеры записаны с сервера: замените в них идентификаторы, хеши и логины.",
  document: "Документ OpenAPI",
  parameters: "Параметр",
  body: "Поле тела запроса",
  type: "Тип",
  meaning: "Значение",
  required: "обязательно",
  places: { path: "В пути", query: "В запросе", header: "Заголовок" },
  examples: "Примеры",
  response: (status) => `Ответ ${status}`,
  responses: "Ответы",
  status: "Статус",
  token: "Это токен вашей сессии, панель скоро его заменит. Выше можно получить токен для другой программы.",
};
