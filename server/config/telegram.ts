import type { Fault } from "./credentials.ts";
import type { EnvironmentValues, EnvironmentVariables } from "./environment.ts";

/** Settings of the bot. */
export interface TelegramConfig {
  readonly token: string;
  readonly apiUrl: string;
  /** Address that Telegram posts to; without it the server polls Telegram. */
  readonly webhookUrl: string | undefined;
  readonly adminChat: number | undefined;
  readonly ratePerMinute: number;
  readonly passwordSeconds: number;
  /** Private networks in which the bot may query sensors. */
  readonly sensorNetworks: readonly string[];
}

const ONLY_WITH_TOKEN = [
  "TELEGRAM_API_URL",
  "TELEGRAM_WEBHOOK_URL",
  "TELEGRAM_ADMIN_CHAT",
  "TELEGRAM_RATE",
  "TELEGRAM_PASSWORD_LIFETIME",
  "TELEGRAM_SENSOR_NETWORKS",
] as const;

/** @param details Receives missing values and contradictions */
export function telegramConfig(
  env: EnvironmentValues,
  variables: EnvironmentVariables,
  details: Fault[],
): TelegramConfig | undefined {
  if (env.TELEGRAM_TOKEN === undefined) {
    for (const path of ONLY_WITH_TOKEN)
      if (variables[path] !== undefined)
        details.push({ path, message: "is for the bot, but TELEGRAM_TOKEN is not set" });
    return undefined;
  }
  return {
    token: env.TELEGRAM_TOKEN,
    apiUrl: env.TELEGRAM_API_URL,
    webhookUrl: env.TELEGRAM_WEBHOOK_URL,
    adminChat: env.TELEGRAM_ADMIN_CHAT,
    ratePerMinute: env.TELEGRAM_RATE,
    passwordSeconds: env.TELEGRAM_PASSWORD_LIFETIME,
    sensorNetworks: env.TELEGRAM_SENSOR_NETWORKS,
  };
}
