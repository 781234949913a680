import { assert } from "chai";
import { FindingsFile } from "../../server/journal/findings/findings-file.ts";
import { eventually } from "./eventually.ts";

/** Waits until the server of a data folder has compared everything so many times more. */
export async function fullPasses(directory: string, count: number): Promise<void> {
  const file = new FindingsFile(directory);
  const lastPass = async (): Promise<number> => (await file.read()).checkedAt ?? 0;
  for (let pass = 0; pass < count; pass += 1) {
    const before = await lastPass();
    await eventually(async () => assert.isAbove(await lastPass(), before));
  }
}
