import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { type Alert, type AlertStore, withMessage } from "./alert.ts";
import type { Database } from "../journal/engine/database.ts";
import { inTransaction } from "../journal/entries/entry-log.ts";
import type { AlertsTable } from "../journal/engine/schema.ts";

const EarlierMessages = z.array(z.object({ message: z.string(), until: z.number() }));

function toAlert(row: Selectable<AlertsTable>): Alert {
  return {
    kind: row.kind,
    subject: row.subject,
    message: row.message,
    earlier: EarlierMessages.parse(JSON.parse(row.earlier)),
    raisedAt: row.raised_at,
    resolvedAt: row.resolved_at ?? undefined,
    change: row.change_number,
  };
}

export function alertStore(database: Database): AlertStore {
  const nextChange = async (transaction: Database): Promise<number> => {
    const { newest } = await transaction
      .selectFrom("alerts")
      .select((e) => e.fn.coalesce(e.fn.max("change_number"), sql<number>`0`).as("newest"))
      .executeTakeFirstOrThrow();
    return newest + 1;
  };

  return {
    raise: ({ kind, subject, message, at }) =>
      inTransaction(database, async (transaction) => {
        const lasting = await transaction
          .selectFrom("alerts")
          .selectAll()
          .where("kind", "=", kind)
          .where("subject", "=", subject)
          .where("resolved_at", "is", null)
          .executeTakeFirst();
        if (lasting?.message === message) return undefined;
        const change_number = await nextChange(transaction);
        if (lasting === undefined) {
          const row = await transaction
            .insertInto("alerts")
            .values({ kind, subject, message, earlier: "[]", raised_at: at, resolved_at: null, change_number })
            .returningAll()
            .executeTakeFirstOrThrow();
          return toAlert(row);
        }
        const { earlier } = withMessage(toAlert(lasting), message, at);
        const row = await transaction
          .updateTable("alerts")
          .set({ message, earlier: JSON.stringify(earlier), change_number })
          .where("id", "=", lasting.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toAlert(row);
      }),

    resolve: (kind, subject, resolvedAt) =>
      inTransaction(database, async (transaction) => {
        const row = await transaction
          .updateTable("alerts")
          .set({ resolved_at: resolvedAt, change_number: await nextChange(transaction) })
          .where("kind", "=", kind)
          .where("subject", "=", subject)
          .where("resolved_at", "is", null)
          .returningAll()
          .executeTakeFirst();
        return row && toAlert(row);
      }),

    async open() {
      const rows = await database
        .selectFrom("alerts")
        .selectAll()
        .where("resolved_at", "is", null)
        .orderBy("id")
        .execute();
      return rows.map(toAlert);
    },

    async list(limit) {
      const rows = await database
        .selectFrom("alerts")
        .selectAll()
        .orderBy(sql`resolved_at is null`, "desc")
        .orderBy("change_number", "desc")
        .limit(limit)
        .execute();
      return rows.map(toAlert);
    },

    async resolvedAfter(change) {
      const rows = await database
        .selectFrom("alerts")
        .selectAll()
        .where("resolved_at", "is not", null)
        .where("change_number", ">", change)
        .orderBy("change_number")
        .execute();
      return rows.map(toAlert);
    },

    async notifiedUpTo(receiver) {
      const row = await database
        .selectFrom("alert_receivers")
        .select("change_number")
        .where("receiver", "=", receiver)
        .executeTakeFirst();
      return row?.change_number ?? 0;
    },

    async recordNotified(receiver, change) {
      await database
        .insertInto("alert_receivers")
        .values({ receiver, change_number: change })
        .onConflict((conflict) => conflict.column("receiver").doUpdateSet({ change_number: change }))
        .execute();
    },
  };
}
