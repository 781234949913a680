import type { Config } from "../../server/config/config.ts";

/** Replacements for values of the configuration that have no variable, or for ones outside a variable's range. */
export type Settings = {
  readonly [Group in keyof Config]?: NonNullable<Config[Group]> extends object
    ? Partial<NonNullable<Config[Group]>>
    : never;
};

/** Returns the configuration with other values. A group that is not configured stays so. */
export function adjusted(config: Config, settings: Settings = {}): Config {
  const groups: Readonly<Record<string, unknown>> = settings;
  return Object.assign(
    {},
    config,
    ...Object.entries(config).map(([name, group]) =>
      typeof group === "object" && group !== null ? { [name]: { ...group, ...(groups[name] as object) } } : {},
    ),
  );
}
