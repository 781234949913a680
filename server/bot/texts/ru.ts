import { MAX_TEXT_LENGTH, type FormFault, type Question } from "../form.ts";
import { MAX_READING } from "../reading.ts";
import type { CommandName } from "../commands/names.ts";
import type { SourceFault } from "../sensor-source.ts";
import type { Texts } from "./en.ts";

const commands: Record<CommandName, string> = {
  start: "первое заполнение регистрационной формы",
  reset: "изменить регистрационную форму",
  fetch: "показать регистрационную форму",
  help: "справка по командам",
  pm: "отправить текущее значение PM2.5 вашего датчика",
  providers: "текущие значения PM2.5",
  map: "текущая карта качества воздуха",
  livemap: "анимированная карта за последние сутки",
  time: "время сервера",
  trxlog: "последние транзакции блокчейна, сохранившие значения",
  synclog: "журнал синхронизации базы данных и блокчейна",
  gethlog: "журнал клиента блокчейна",
  balance: "баланс системного адреса",
  decode: "расшифровать входные данные транзакции (аудит)",
  decompress: "распаковать данные из блокчейна (аудит)",
};

const questions: Record<Question, string> = {
  name: "Как вас зовут? Имя остаётся на этом сервере.",
  device: "Как называется ваш датчик или прибор, например SDS011?",
  location:
    "Где находится датчик? Отправьте местоположение кнопкой или введите широту и долготу, например 55.7558, 37.6173.",
  title: "Какую подпись показывать на карте?",
  source:
    "Откуда брать значения? Если датчик отвечает в формате JSON по адресу в интернете, введите адрес и путь к " +
    "значению, например\nhttps://sensor.example/data.json $.pm25\nИли нажмите кнопку, чтобы вводить каждое " +
    "значение самостоятельно.",
};

const formFaults: Record<FormFault, string> = {
  text_wanted: "Пожалуйста, ответьте текстом.",
  empty: "Текст пуст.",
  too_long: `Слишком длинно: не более ${MAX_TEXT_LENGTH} символов, адрес — не более 512.`,
  control_characters: "В тексте есть переносы строк или символы, которые нельзя показать; напишите в одну строку.",
  not_a_position:
    "Это не место. Отправьте местоположение или введите широту и долготу в градусах, например 55.7558, 37.6173.",
  latitude_range: "Такой широты нет: она бывает от -90 до 90 и пишется первой.",
  longitude_range: "Такой долготы нет: она бывает от -180 до 180.",
  not_an_address: "Это не начинается с адреса вида https://sensor.example/data.json.",
  credentials: "В адресе есть имя или пароль. Укажите адрес без них.",
  no_path: "Нет пути к значению. Введите его после адреса, например $.pm25.",
  not_a_path: "Путь не удаётся прочитать. Он имеет вид $.name, $.list[0].name или $['odd name'].",
  press_a_button: "Пожалуйста, нажмите одну из кнопок под формой.",
};

const sourceFaults: Record<SourceFault, string> = {
  private_address: "его адрес ведёт в частную сеть, к которой этот сервер не обращается",
  unreachable: "он недоступен",
  too_slow: "он не ответил за десять секунд",
  too_large: "его ответ больше 64 КиБ",
  too_many_redirects: "он перенаправляет больше трёх раз",
  bad_status: "он ответил ошибкой",
  not_json: "его ответ не в формате JSON",
  nothing_there: "в его ответе ничего нет по пути из вашей формы",
  not_a_reading: `по пути из вашей формы находится не число от 0 до ${MAX_READING}`,
};

export const ru: Texts = {
  locale: "ru-RU",
  commands,
  help: (list) =>
    `Я принимаю показания датчиков качества воздуха и храню их в блокчейне.\n\n${list}\n\nДлинные данные для ` +
    "/decode и /decompress можно прислать файлом с командой в подписи.",
  unknown: "Не понимаю. Что я умею, покажет /help.",
  unknownCommand: (command) => `Команды /${command} нет. Список команд: /help.`,
  privateOnly: (command) => `/${command} работает только в личном чате со мной.`,
  tooMany: (perMinute) => `Слишком быстро: я отвечаю на ${perMinute} сообщений в минуту. Подождите минуту.`,

  share: "📍 Отправить местоположение",
  back: "⬅ Назад",
  cancel: "✖ Отмена",
  keep: "✔ Оставить как есть",
  typed: "⌨ Ввожу значения сам",
  confirm: "✅ Подтвердить",
  question: (number, of, question, now) =>
    `${number} из ${of}. ${questions[question]}${now === undefined ? "" : `\nСейчас: ${now}`}`,
  formFault: (fault) => formFaults[fault],
  locationNoted: (location) => `Записано: ${location}`,
  formLeft: "Форма закрыта; ничего не изменено.",
  buttonOver: "Эта кнопка относится к прежнему вопросу.",
  confirmNew: (form) =>
    `${form}\n\nДатчик, место и подпись попадают в блокчейн с каждым значением: там их навсегда может ` +
    "прочитать каждый. Имя — нет.\n\nВсё верно? После подтверждения будет создан ваш аккаунт.",
  confirmEdit: (form) => `${form}\n\nВсё верно? После подтверждения форма будет сохранена.`,
  form: (name, device, location, title, source) =>
    `Имя: ${name}\nДатчик: ${device}\nМесто: ${location}\nПодпись: ${title}\nИсточник: ${source}`,
  sourceTyped: "вводится командой /pm",
  sourceHttp: (url, path) => `${url} ${path}`,
  formSaved: "Форма сохранена.",
  registered: "Вы зарегистрированы. Отправьте значение командой /pm.",
  password: (login, password, minutes) =>
    "Ваш аккаунт. Пароль я сообщаю только сейчас: сохраните его; это сообщение удалится через " +
    `${minutes}.\n\nлогин: ${login}\nпароль: ${password}`,
  minutes: (seconds) => (seconds % 60 === 0 ? `${seconds / 60} мин` : `${seconds} с`),
  already: "Вы уже зарегистрированы. /fetch покажет форму, /reset изменит её.",
  noForm: "Формы ещё нет. Её начинает /start.",
  accountOf: (address) => `Аккаунт: ${address}`,
  revoked: "Ваш аккаунт отозван; обратитесь к оператору этого сервера.",
  noEnrolment: "Этот сервер не может создавать аккаунты: у него нет ключа администратора. Обратитесь к его оператору.",
  notRegistered: "Отправлять значения могут только зарегистрированные пользователи. Регистрацию начинает /start.",

  typeValue: "Введите значение PM2.5 в мкг/м³, например 12.5.",
  notAValue: (text) => `«${text}» — не значение PM2.5: это число от 0 до ${MAX_READING} в мкг/м³, например 12.5.`,
  sourceFault: (fault) => `Ваш датчик не даёт значения: ${sourceFaults[fault]}. Значение можно ввести: /pm 12.5`,
  stored: (value, row, link) => `Сохранено: ${value} мкг/м³, запись ${row}.\n${link}`,
  storedLate: (row) => `Блокчейн ещё не подтвердил запись ${row}. Она будет сохранена: не отправляйте её ещё раз.`,

  noProviders: "За последние сутки ни один датчик не прислал значения.",
  providers: (count) => `Значения за последние сутки, всего ${count}, сначала новые:`,
  provider: (title, device, value, category, ago) => `${title} (${device}): ${value} мкг/м³, ${category}, ${ago}`,
  ago: (minutes) =>
    minutes < 1 ? "только что" : minutes < 60 ? `${minutes} мин назад` : `${Math.floor(minutes / 60)} ч назад`,
  mapCaption: (count, time) => `Качество воздуха, ${time}. Датчиков: ${count}`,
  livemapCaption: (time) => `Качество воздуха за сутки до ${time}`,

  time: (server, block) => `Время сервера: ${server}${block === undefined ? "" : `\nПоследний блок: ${block}`}`,
  noTransactions: "Ещё ни одно значение не сохранено.",
  transactions: "Последние транзакции, сохранившие значения, сначала новые:",
  transaction: (row, code, time, sender, link, isMarked) =>
    `#${row} ${code}${isMarked ? " ⚠ перезаписана" : ""}\n${time}, ${sender}\n${link}`,
  verdict: (verdict, row, table, isOverwritten) =>
    (verdict === "original"
      ? `В блокчейне это строка ${row} таблицы ${table}.`
      : `⚠ Повтор: данные и подпись строки ${row} таблицы ${table}.`) +
    (isOverwritten ? " ⚠ Поверх неё записана другая строка." : ""),
  checks: ({ signer, binding, signedBySender, rowIdMatches }) =>
    (signer === undefined
      ? "⚠ Нет верной подписи."
      : binding === "contract"
        ? `⚠ Подпись контракта ${signer}: проверить её может только блокчейн.`
        : signedBySender
          ? `Подписана отправителем, ${signer}.`
          : `⚠ Подписана не отправителем, а ${signer}.`) +
    (binding === "none" ? " Подписаны только данные строки: подпись не привязана к месту." : "") +
    (rowIdMatches ? " Номер строки в ней тот же, что в вызове." : " ⚠ Номер строки в ней не тот, что в вызове."),
  noVerdict: "В индексе записей её нет.",
  sync: (copied, head, reconciled) =>
    `В базе данных блокчейн до блока ${copied ?? "-"} из ` +
    `${head ?? "-"}.\n${reconciled === undefined ? "Они ещё не сверялись." : `Последняя сверка: ${reconciled}.`}`,
  syncStep: (step) => {
    switch (step.kind) {
      case "resumed":
        return step.head > step.after
          ? `продолжение после блока ${step.after}; осталось прочитать блоков: ${step.head - step.after}`
          : `продолжение после блока ${step.after}, последнего`;
      case "indexed":
        return (
          (step.from === step.to ? `блок ${step.to}` : `блоки с ${step.from} по ${step.to}`) +
          (step.rows === 0 ? "" : `, строк: ${step.rows}`)
        );
      case "rebuilding":
        return `⚠ индекс строится заново: ${step.reason}`;
      case "failing":
        return `⚠ блокчейн не удаётся прочитать: ${step.reason}`;
    }
  },
  syncNothing: "Ничего примечательного не произошло.",
  gethlogEmpty: "Клиент блокчейна ещё ничего не записал.",
  gethlogNone: "Этот сервер не знает, где журнал его клиента блокчейна: оператор может задать NODE_LOG_FILE.",
  gethlogCaption: "Последние строки журнала клиента блокчейна",
  balance: (address, amount) => `Системный адрес: ${address}\nБаланс: ${amount}`,

  sendData: (command) => `Пришлите данные для /${command}: в шестнадцатеричном виде, текстом или файлом.`,
  fileTooLarge: (kib) => `Файл больше ${kib} КиБ.`,
  decoded: (name) => `Вызов ${name}:`,
  decodedCaption: "Расшифрованная транзакция",
  decompressed: (bytes) => `Распаковано, байт: ${bytes}`,
  decompressedCaption: "Распакованные данные",
  malformed: (reason) => `Прочитать не удалось: ${reason}.`,

  chainAway: "Блокчейн сейчас не отвечает. Ничего не сохранено; попробуйте позже.",
  chainRefused: "Блокчейн отказал.",
  tooManyRequests: (seconds) => `Слишком много запросов за короткое время; подождите ${seconds} с.`,
  busy: "Сейчас слишком много работы; попробуйте через минуту.",
  failed: "Здесь что-то пошло не так, оператор увидит это в журнале. Попробуйте позже.",
};
