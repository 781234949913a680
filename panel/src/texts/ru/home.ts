import type { Texts } from "../texts.ts";

const LOG: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "logged in": "вход выполнен",
    "login refused": "во входе отказано",
    "session validated": "сессия подтверждена",
    "session extended": "сессия продлена",
    "session closed": "сессия закрыта",
  }),
);

export const home: Texts["home"] = {
  title: "Главная",
  lead: "Ваша сессия в хранилище записей. Токен заменяется новым, пока вы работаете с панелью.",
  readOnly: "Эта учётная запись может только читать: искать и разбирать записи, но не отправлять их.",
  session: "Сессия",
  lifetime: "Осталось:",
  seconds: "с",
  account: "Адрес учётной записи",
  secureKey: "Секретный ключ",
  show: "Показать",
  copyToken: "Скопировать токен",
  tokenReplaced: (seconds) => `Панель заменит этот токен через ${seconds} с; копия тогда перестанет работать.`,
  tokenEnds: (seconds) => `Этот токен истечёт через ${seconds} с.`,
  tokenExpired: "Этот токен истёк.",
  ownToken: "Токен для другой программы",
  ownTokenHelp: "Открывает отдельную сессию. Панель её не продлевает, поэтому токен живёт весь свой срок.",
  ownTokenOpen: "Открыть сессию",
  ownTokenLabel: "Токен доступа",
  copyOwnToken: "Скопировать токен доступа",
  copyAccount: "Скопировать адрес",
  wrong: "Что-то не так",
  newestRecords: "Последние записи",
  newestProofs: "Последние доказательства",
  nothing: "Пока ничего.",
  notShown: "Не показаны: нужен ключ API, они старше других записей, или сервер не отвечает.",
  statistics: "Система на момент входа",
  stats: {
    records: "Записи",
    accounts: "Учётные записи",
    sessions: "Открытые сессии",
    block: "Блок",
    uptime: "Время работы",
  },
  log: "Журнал учётной записи",
  logLine: (message) =>
    LOG.get(message) ?? message.replace(/^record (\d+) stored$/, (_, row: string) => `запись ${row} сохранена`),
};
