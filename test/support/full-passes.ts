import { assert } from "chai";
import type { EngineDatabase } from "./engine-database.ts";
import { eventually } from "./eventually.ts";

/** Waits until everything was compared so many times more. */
export async function fullPasses(database: EngineDatabase, count: number): Promise<void> {
  const lastPass = async (): Promise<number> => {
    const [row] = await database.query("select full_passed_at from reconciliation");
    return Number(row?.["full_passed_at"] ?? 0);
  };
  for (let pass = 0; pass < count; pass += 1) {
    const before = await lastPass();
    await eventually(async () => assert.isAbove(await lastPass(), before));
  }
}
