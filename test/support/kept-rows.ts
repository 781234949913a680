import type { Attacker, Row } from "./attacker.ts";

/** Tables that the server writes while nobody calls it. */
const OF_THE_SERVER = ["alerts", "service_log", "storage_probe"];

/**
 * Keeps the rows of a database, except those that the server writes by itself.
 * @returns puts them back
 */
export async function keepRows(attacker: Attacker): Promise<() => Promise<void>> {
  const kept = new Map<string, Row[]>();
  for (const table of await attacker.tables())
    if (!OF_THE_SERVER.includes(table)) kept.set(table, await attacker.rowsOf(table));
  return async () => {
    for (const [table, rows] of kept) await attacker.restore(table, rows);
  };
}
