import type { Texts } from "../texts.ts";

export const session: Texts["session"] = {
  left: (seconds) => `Сеансу осталось ${seconds} с; он продлевается сам.`,
  ending: (seconds) => `Сеанс закончится через ${seconds} с`,
  endingHelp: "Продлить его больше нельзя. Когда он закончится, войдите снова; введённое сохранится.",
  cutOff: "Сервер недоступен",
  cutOffHelp: (seconds) => `Пока он не ответит, сеанс нельзя продлить; попытки идут каждую секунду. Сеанс закончится через ${seconds} с.`,
  logOut: "Выйти",
};
