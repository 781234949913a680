import type { KyselyPlugin } from "kysely";
import type { Database } from "../../server/journal/engine/database.ts";

/** A database that counts the rows that queries return. */
export interface RowCount {
  readonly database: Database;
  /** Returns the rows that were read during some work: all, and those with the facts of a proof. */
  during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly rows: number; readonly proofRows: number }>;
}

export function countingRows(database: Database): RowCount {
  let [rows, proofRows] = [0, 0];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      rows += result.rows.length;
      proofRows += result.rows.filter((row) => "document_id" in row).length;
      return result;
    },
  };
  return {
    database: database.withPlugin(plugin),
    async during(work) {
      [rows, proofRows] = [0, 0];
      const result = await work();
      return { result, rows, proofRows };
    },
  };
}
