import type { Texts } from "../texts.ts";

export const recording: Texts["recording"] = {
  title: (all) => `Запись файлов: ${all}`,
  about: "Продолжается, пока вы заняты другим, и после перезагрузки страницы.",
  done: (done, all) => `Записано ${done} из ${all}`,
  left: (time) => `осталось ${time}`,
  goOn: "Продолжить",
  cancel: "Отменить",
  tooOld: "Запись не была закончена в течение суток. Дайте файлы снова: уже записанные будут найдены и пропущены.",
};
