import { LONGEST_TEXT, type FormFault, type Question } from "../form.ts";
import { MAX_READING } from "../reading.ts";
import type { CommandName } from "../commands/names.ts";
import type { SourceFault } from "../sensor-source.ts";

const commands: Record<CommandName, string> = {
  start: "first fill-in of the registration form",
  reset: "edit the registration form",
  fetch: "view the registration form",
  help: "guide to the commands",
  pm: "send the current PM2.5 value of your sensor",
  providers: "current PM2.5 values",
  map: "current air-quality map",
  livemap: "animated map of the last day",
  time: "server time",
  trxlog: "latest blockchain transactions that stored values",
  synclog: "synchronisation log between database and blockchain",
  gethlog: "log of the blockchain client",
  balance: "balance of the system address",
  decode: "decode the input data of a transaction (audit)",
  decompress: "decompress data taken from the blockchain (audit)",
};

const questions: Record<Question, string> = {
  name: "What is your name? It stays on this server.",
  device: "What is the name of your sensor or device, such as SDS011?",
  place:
    "Where is the sensor? Share the location with the button, or type latitude and longitude, such as " +
    "13.7563, 100.5018.",
  title: "Which caption is to be shown on the map?",
  source:
    "Where do the values come from? If the sensor answers JSON at an address of the internet, type the address " +
    "and the path to the value, such as\nhttps://sensor.example/data.json $.pm25\nOr press the button to type " +
    "each value yourself.",
};

const formFaults: Record<FormFault, string> = {
  text_wanted: "Please answer with a text.",
  empty: "The text is empty.",
  too_long: `That is too long: at most ${LONGEST_TEXT} characters, an address 512.`,
  control_characters: "The text has line breaks or characters that cannot be shown; please write it in one line.",
  not_a_place:
    "That is no place. Share a location, or type latitude and longitude in degrees, such as 13.7563, 100.5018.",
  latitude_range: "There is no such latitude: it goes from -90 to 90 and comes first.",
  longitude_range: "There is no such longitude: it goes from -180 to 180.",
  not_an_address: "That does not begin with an address of the form https://sensor.example/data.json.",
  credentials: "The address holds a name or password. Please use an address that does without.",
  no_path: "The path to the value is missing. Type it after the address, such as $.pm25.",
  not_a_path: "The path cannot be read. It has the form $.name, $.list[0].name or $['odd name'].",
  press_a_button: "Please press one of the buttons under the form.",
};

const sourceFaults: Record<SourceFault, string> = {
  private_address: "its address leads to a private network, which this server does not ask",
  unreachable: "it cannot be reached",
  too_slow: "it did not answer within ten seconds",
  too_large: "its answer has more than 64 KiB",
  too_many_redirects: "it redirects more than three times",
  bad_status: "it answered with an error",
  not_json: "its answer is not JSON",
  nothing_there: "its answer has nothing at the path of your form",
  not_a_reading: `what stands at the path of your form is no number from 0 to ${MAX_READING}`,
};

export const en = {
  locale: "en-GB",
  commands,
  help: (list: string) =>
    `I take readings of air-quality sensors and keep them on a blockchain.\n\n${list}\n\nLong data for /decode ` +
    "and /decompress can be sent as a file with the command as its caption.",
  unknown: "I do not understand that. /help lists what I can do.",
  unknownCommand: (command: string) => `There is no command /${command}. /help lists what there is.`,
  privateOnly: (command: string) => `/${command} works only in a private chat with me.`,
  tooMany: (perMinute: number) => `That was too fast: I answer ${perMinute} messages a minute. Please wait a minute.`,

  share: "📍 Share my location",
  back: "⬅ Back",
  cancel: "✖ Cancel",
  keep: "✔ Keep as it is",
  typed: "⌨ I type the values",
  confirm: "✅ Confirm",
  question: (number: number, of: number, question: Question, now: string | undefined) =>
    `${number} of ${of}. ${questions[question]}${now === undefined ? "" : `\nNow: ${now}`}`,
  formFault: (fault: FormFault) => formFaults[fault],
  placeNoted: (place: string) => `Noted: ${place}`,
  formLeft: "The form is closed; nothing was changed.",
  buttonOver: "This button belongs to an older question.",
  confirmNew: (form: string) =>
    `${form}\n\nSensor, place and caption go to the blockchain with each value: everybody can read them there, ` +
    `for ever. Your name does not.\n\nIs this right? With Confirm your account is made.`,
  confirmEdit: (form: string) => `${form}\n\nIs this right? Confirm saves it.`,
  form: (name: string, device: string, place: string, title: string, source: string) =>
    `Name: ${name}\nSensor: ${device}\nPlace: ${place}\nCaption: ${title}\nSource: ${source}`,
  sourceTyped: "typed with /pm",
  sourceHttp: (url: string, path: string) => `${url} ${path}`,
  formSaved: "The form is saved.",
  registered: "You are registered. Send a value with /pm.",
  password: (login: string, password: string, minutes: string) =>
    "Your account. I tell you its password only now: keep it; this message deletes itself after " +
    `${minutes}.\n\nlogin: ${login}\npassword: ${password}`,
  minutes: (seconds: number) => (seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`),
  already: "You are registered already. /fetch shows your form, /reset edits it.",
  noForm: "There is no form yet. /start begins one.",
  accountOf: (address: string) => `Account: ${address}`,
  revoked: "Your account was revoked; please ask the operator of this server.",
  noEnrolment: "This server cannot make accounts: it does not have the administrator's key. Please ask its operator.",
  notRegistered: "Only registered users can send values. /start begins the registration.",

  typeValue: "Please type the PM2.5 value in µg/m³, such as 12.5.",
  notAValue: (text: string) =>
    `"${text}" is no PM2.5 value: it is a number from 0 to ${MAX_READING} in µg/m³, such as 12.5.`,
  sourceFault: (fault: SourceFault) => `Your sensor gives no value: ${sourceFaults[fault]}. You can type it: /pm 12.5`,
  stored: (value: string, row: string, link: string) => `Stored: ${value} µg/m³, record ${row}.\n${link}`,
  storedLate: (row: string) =>
    `The blockchain has not confirmed record ${row} yet. It will be stored: do not send it again.`,

  noProviders: "No sensor sent a value within the last day.",
  providers: (count: number) => `Values of the last day, ${count} in all, newest first:`,
  provider: (title: string, device: string, value: string, category: string, ago: string) =>
    `${title} (${device}): ${value} µg/m³, ${category}, ${ago}`,
  ago: (minutes: number) =>
    minutes < 1 ? "just now" : minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`,
  mapCaption: (count: number, time: string) =>
    `Air quality, ${time}: ${count === 1 ? "one sensor" : `${count} sensors`}`,
  livemapCaption: (time: string) => `Air quality, the day until ${time}`,

  time: (server: string, block: number | undefined) =>
    `Server time: ${server}${block === undefined ? "" : `\nNewest block: ${block}`}`,
  noTransactions: "No value was stored yet.",
  transactions: "Latest transactions that stored values, newest first:",
  transaction: (row: string, code: string, time: string, sender: string, link: string) =>
    `#${row} ${code}\n${time}, ${sender}\n${link}`,
  sync: (copied: number | undefined, head: number | undefined, reconciled: string | undefined) =>
    `The database has the blockchain up to block ${copied ?? "-"} of ` +
    `${head ?? "-"}.\n${
      reconciled === undefined ? "They were not compared yet." : "They were compared last at " + `${reconciled}.`
    }`,
  syncNothing: "Nothing has happened that would be worth telling.",
  gethlogEmpty: "The blockchain client has logged nothing yet.",
  gethlogNone:
    "This server does not know where the log of its blockchain client is: its operator can set NODE_LOG_FILE.",
  gethlogCaption: "The newest lines of the blockchain client's log",
  balance: (address: string, amount: string) => `System address: ${address}\nBalance: ${amount}`,

  sendData: (command: string) => `Please send the data for /${command}: hexadecimal, as text or as a file.`,
  fileTooLarge: (kib: number) => `The file has more than ${kib} KiB.`,
  decoded: (name: string) => `A call of ${name}:`,
  decodedCaption: "The decoded transaction",
  decompressed: (bytes: number) => `Decompressed, ${bytes} bytes:`,
  decompressedCaption: "The decompressed data",
  malformed: (reason: string) => `That cannot be read: ${reason}.`,

  chainAway: "The blockchain does not answer now. Nothing was stored; please try again later.",
  chainRefused: "The blockchain refused it.",
  tooManyStored: (seconds: number) => `Too many values in a short time; please wait ${seconds} s.`,
  busy: "There is too much to do right now; please try again in a minute.",
  failed: "Something went wrong here, and the operator can see it in the log. Please try again later.",
};

/** Everything that the bot says, in one language. */
export type Texts = typeof en;
