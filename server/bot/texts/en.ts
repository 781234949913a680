import { MAX_TEXT_LENGTH, type FormFault, type Question } from "../form.ts";
import { MAX_READING } from "../reading.ts";
import type { CommandName } from "../commands/names.ts";
import type { SourceFault } from "../sensor-source.ts";
import type { RowChecks, SyncStep } from "../../records/index.ts";

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
  name: "What is your name? It is stored only on this server.",
  device: "What is the name of your sensor or device, such as SDS011?",
  location:
    "Where is the sensor? Share the location with the button, or type latitude and longitude, such as 13.7563, " +
    "100.5018.",
  title: "Which caption should the map show?",
  source:
    "Where do the values come from? If the sensor has a public JSON address, type the address and the path to " +
    "the value, such as\nhttps://sensor.example/data.json $.pm25\nOr press the button to type each value " +
    "yourself.",
};

const formFaults: Record<FormFault, string> = {
  text_wanted: "Please answer with a text.",
  empty: "The text is empty.",
  too_long: `That is too long: at most ${MAX_TEXT_LENGTH} characters, an address 512.`,
  control_characters: "The text has line breaks or characters that cannot be shown; please write it in one line.",
  not_a_position:
    "That is not a location. Share a location, or type latitude and longitude in degrees, such as 13.7563, 100.5018.",
  latitude_range: "The latitude must be from -90 to 90. It comes first.",
  longitude_range: "The longitude must be from -180 to 180.",
  not_an_address: "That does not start with an address such as https://sensor.example/data.json.",
  credentials: "The address contains a name or password. Please use an address without them.",
  no_path: "The path to the value is missing. Type it after the address, such as $.pm25.",
  not_a_path: "The path is invalid. Use the form $.name, $.list[0].name or $['odd name'].",
  press_a_button: "Please press one of the buttons under the form.",
};

const sourceFaults: Record<SourceFault, string> = {
  private_address: "its address is in a private network, which this server does not access",
  unreachable: "it is not reachable",
  too_slow: "it did not respond within ten seconds",
  too_large: "its response has more than 64 KiB",
  too_many_redirects: "it redirects more than three times",
  bad_status: "it responded with an error",
  not_json: "its response is not JSON",
  nothing_there: "its response has no value at the path of your form",
  not_a_reading: `the value at the path of your form is not a number from 0 to ${MAX_READING}`,
};

export const en = {
  locale: "en-GB",
  commands,
  help: (list: string) =>
    `This bot stores readings of air-quality sensors on a blockchain.\n\n${list}\n\nLong data for /decode and ` +
    "/decompress can be sent as a file with the command as its caption.",
  unknown: "This message is not a command. /help lists the commands.",
  unknownCommand: (command: string) => `There is no command /${command}. /help lists the commands.`,
  privateOnly: (command: string) => `/${command} works only in a private chat with the bot.`,
  tooMany: (perMinute: number) => `Too many messages: the limit is ${perMinute} per minute. Please wait a minute.`,

  share: "📍 Share my location",
  back: "⬅ Back",
  cancel: "✖ Cancel",
  keep: "✔ Keep as it is",
  typed: "⌨ Type the values",
  confirm: "✅ Confirm",
  question: (number: number, of: number, question: Question, now: string | undefined) =>
    `${number} of ${of}. ${questions[question]}${now === undefined ? "" : `\nNow: ${now}`}`,
  formFault: (fault: FormFault) => formFaults[fault],
  locationNoted: (location: string) => `Location: ${location}`,
  formLeft: "The form is closed; nothing has changed.",
  buttonOver: "This button belongs to an older question.",
  confirmNew: (form: string) =>
    `${form}\n\nSensor, location and caption go to the blockchain with each value, where they are public ` +
    "forever. Your name does not.\n\nIs this correct? Confirm creates your account.",
  confirmEdit: (form: string) => `${form}\n\nIs this correct? Confirm saves it.`,
  form: (name: string, device: string, location: string, title: string, source: string) =>
    `Name: ${name}\nSensor: ${device}\nLocation: ${location}\nCaption: ${title}\nSource: ${source}`,
  sourceTyped: "typed with /pm",
  sourceHttp: (url: string, path: string) => `${url} ${path}`,
  formSaved: "The form is saved.",
  registered: "You are registered. Send a value with /pm.",
  password: (login: string, password: string, minutes: string) =>
    `Your account. Save the password now: this message is deleted after ${minutes}, and the password is not ` +
    `shown again.\n\nlogin: ${login}\npassword: ${password}`,
  minutes: (seconds: number) => (seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`),
  already: "You are already registered. /fetch shows your form, /reset edits it.",
  noForm: "There is no form yet. /start opens one.",
  accountOf: (address: string) => `Account: ${address}`,
  revoked: "Your account was revoked; please ask the operator of this server.",
  noEnrolment: "This server cannot create accounts: it has no administrator key. Please ask its operator.",
  notRegistered: "Only registered users can send values. /start begins the registration.",

  typeValue: "Please type the PM2.5 value in µg/m³, such as 12.5.",
  notAValue: (text: string) =>
    `"${text}" is not a PM2.5 value: a number from 0 to ${MAX_READING} in µg/m³, such as 12.5.`,
  sourceFault: (fault: SourceFault) =>
    `Your sensor returned no value: ${sourceFaults[fault]}. You can type it: /pm 12.5`,
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
  noTransactions: "No value has been stored yet.",
  transactions: "Latest transactions that stored values, newest first:",
  transaction: (row: string, code: string, time: string, sender: string, link: string, isMarked: boolean) =>
    `#${row} ${code}${isMarked ? " ⚠ overwritten" : ""}\n${time}, ${sender}\n${link}`,
  verdict: (verdict: "original" | "replay", row: string, table: string, isOverwritten: boolean) =>
    (verdict === "original"
      ? `The chain has it as row ${row} of table ${table}.`
      : `⚠ A replay: row data and signature are those of row ${row} of table ${table}.`) +
    (isOverwritten ? " ⚠ Another row was written over it." : ""),
  checks: ({ signer, binding, signedBySender, rowIdMatches }: RowChecks) =>
    (signer === undefined
      ? "⚠ No valid signature."
      : binding === "contract"
        ? `⚠ A signature of the contract account ${signer}, which only the chain can check.`
        : signedBySender
          ? `Signed by the sender, ${signer}.`
          : `⚠ Signed by ${signer}, not by the sender.`) +
    (binding === "none" ? " The signature is over the row data alone: it is bound to no place." : "") +
    (rowIdMatches
      ? " The row id in the row is that of the call."
      : " ⚠ The row id in the row is not that of the call."),
  noVerdict: "The record index does not have it.",
  sync: (copied: number | undefined, head: number | undefined, reconciled: string | undefined) =>
    `The record index includes block ${copied ?? "-"} of ${head ?? "-"}.\n` +
    (reconciled === undefined ? "No reconciliation has run yet." : `Last reconciliation: ${reconciled}.`),
  syncStep: (step: SyncStep): string => {
    switch (step.kind) {
      case "resumed":
        return step.head > step.after
          ? `resumed after block ${step.after}; blocks to read: ${step.head - step.after}`
          : `resumed after block ${step.after}, the newest`;
      case "indexed":
        return (
          (step.from === step.to ? `block ${step.to}` : `blocks ${step.from} to ${step.to}`) +
          (step.rows === 0 ? "" : `, rows: ${step.rows}`)
        );
      case "rebuilding":
        return `⚠ the index is built again: ${step.reason}`;
      case "failing":
        return `⚠ cannot read the chain: ${step.reason}`;
    }
  },
  syncNothing: "There are no events.",
  gethlogEmpty: "The log of the blockchain client is empty.",
  gethlogNone: "The log of the blockchain client is not configured on this server: its operator can set NODE_LOG_FILE.",
  gethlogCaption: "The newest lines of the blockchain client's log",
  balance: (address: string, amount: string) => `System address: ${address}\nBalance: ${amount}`,

  sendData: (command: string) => `Please send the data for /${command}: hexadecimal, as text or as a file.`,
  fileTooLarge: (kib: number) => `The file has more than ${kib} KiB.`,
  decoded: (name: string) => `A call of ${name}:`,
  decodedCaption: "The decoded transaction",
  decompressed: (bytes: number) => `Decompressed, ${bytes} bytes:`,
  decompressedCaption: "The decompressed data",
  malformed: (reason: string) => `Invalid data: ${reason}.`,

  chainAway: "The blockchain is not reachable. Nothing was stored; please try again later.",
  chainRefused: "The blockchain rejected the transaction.",
  tooManyRequests: (seconds: number) => `Too many requests in a short time; please wait ${seconds} s.`,
  busy: "The server is busy; please try again in a minute.",
  failed: "An internal error occurred; the operator finds it in the log. Please try again later.",
};

/** Texts of the bot in one language. */
export type Texts = typeof en;
