import type { EnvironmentVariables } from "../../server/config/environment.ts";
import type { Chat } from "./telegram-chat.ts";
import type { TelegramServer } from "./telegram-server.ts";

/** Returns the configuration of a server as a bot of a Telegram server. */
export function botVariables(telegram: TelegramServer): EnvironmentVariables {
  return { TELEGRAM_TOKEN: telegram.token, TELEGRAM_API_URL: telegram.url };
}

/** Lets one person send as many messages as a test has. */
export const TALKATIVE = { telegram: { ratePerMinute: 1_000 } };

/** Fills in the registration form up to its confirmation. */
export async function fillIn(
  chat: Chat,
  { device = "SDS011", place = "13.75, 100.5", title = "Roof" } = {},
): Promise<void> {
  await chat.request("/start");
  await chat.request("Somchai");
  await chat.request(device);
  await chat.after(() => chat.write(place), 2);
  await chat.request(title);
  await chat.after(() => chat.press("⌨ Type the values"));
}

/** Registers an account; returns its login and password. */
export async function register(
  chat: Chat,
  form?: Parameters<typeof fillIn>[1],
): Promise<{ login: string; password: string }> {
  await fillIn(chat, form);
  const [account] = await chat.after(() => chat.press("✅ Confirm"), 2);
  const { login = "", password = "" } =
    /login: (?<login>\S+)\npassword: (?<password>\S+)/.exec(account.text)?.groups ?? {};
  return { login, password };
}
