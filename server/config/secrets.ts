import type { Config } from "./config.ts";

/** Returns the secrets of the configuration, to be removed from texts that are shown. */
export function configuredSecrets({ chain, telegram, alerts, database }: Config): string[] {
  const { node, relayer, administratorKey } = chain;
  const addresses = [
    ...(database.kind === "postgres" ? [database.url] : []),
    ...(node.kind === "remote" ? node.urls : []),
  ];
  const passwords = addresses.flatMap((address) => {
    const password = URL.parse(address)?.password ?? "";
    return [password, decodeURIComponent(password)];
  });
  const own = [
    relayer?.kind === "environment" ? relayer.key : undefined,
    administratorKey,
    telegram?.token,
    alerts.webhookSecret,
  ];
  return [...own, ...passwords].flatMap((secret) => (secret === undefined || secret === "" ? [] : [secret]));
}
