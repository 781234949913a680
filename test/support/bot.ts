import type { EnvironmentVariables } from "../../server/config/environment.ts";
import type { Chat } from "./telegram-chat.ts";
import type { TelegramServer } from "./telegram-server.ts";

/** What a server needs to be a bot of a Telegram. */
export function botVariables(telegram: TelegramServer): EnvironmentVariables {
  return { TELEGRAM_TOKEN: telegram.token, TELEGRAM_API_URL: telegram.url, TELEGRAM_RATE: "1000" };
}

/** Fills in the registration form up to where it is to be confirmed. */
export async function fillIn(
  chat: Chat,
  { device = "SDS011", place = "13.75, 100.5", title = "Roof" } = {},
): Promise<void> {
  await chat.ask("/start");
  await chat.ask("Somchai");
  await chat.ask(device);
  await chat.after(() => chat.write(place), 2);
  await chat.ask(title);
  await chat.after(() => chat.touch("⌨ Type the values"));
}

/** Registers somebody and gives their login and password. */
export async function register(
  chat: Chat,
  form?: Parameters<typeof fillIn>[1],
): Promise<{ login: string; password: string }> {
  await fillIn(chat, form);
  const [account] = await chat.after(() => chat.touch("✅ Confirm"), 2);
  const { login = "", password = "" } =
    /login: (?<login>\S+)\npassword: (?<password>\S+)/.exec(account.text)?.groups ?? {};
  return { login, password };
}
