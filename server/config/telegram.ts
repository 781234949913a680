import type { Fault } from "./credentials.ts";
import type { EnvironmentValues, EnvironmentVariables } from "./environment.ts";

/** How the bot is to be run. */
export interface TelegramConfig {
  readonly token: string;
  readonly apiUrl: string;
  /** Where Telegram posts to; it is asked when there is no such place. */
  readonly webhookUrl: string | undefined;
  readonly adminChat: number | undefined;
  readonly ratePerMinute: number;
  readonly passwordSeconds: number;
  /** Where sensors may be though it is not on the internet. */
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

/** @param details told what is missing or contradicts */
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
