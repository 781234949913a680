import type { Texts } from "../texts.ts";

export const home: Texts["home"] = {
  title: "Главная",
  lead: "Ваш сеанс в хранилище записей. Токен сам заменяется новым, пока не истёк.",
  readOnly: "Эта учётная запись может только читать: искать и разбирать записи, но не отправлять их.",
  session: "Сеанс",
  lifetime: "Осталось:",
  seconds: "с",
  account: "Адрес учётной записи",
  secureKey: "Секретный ключ",
  show: "Показать",
  copyToken: "Скопировать токен",
  copyAccount: "Скопировать адрес",
  statistics: "Система на момент входа",
  stats: {
    records: "Записи",
    accounts: "Учётные записи",
    sessions: "Открытые сеансы",
    block: "Блок",
    uptime: "Время работы",
  },
  log: "Журнал учётной записи",
};
