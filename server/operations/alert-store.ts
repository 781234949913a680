import { type Selectable, sql } from "kysely";
import * as z from "zod";
import { type Alert, type AlertKind, type AlertStore, type Finding, withMessage } from "./alert.ts";
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
  };
}

export function alertStore(database: Database): AlertStore {
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
        if (lasting === undefined) {
          const row = await transaction
            .insertInto("alerts")
            .values({ kind, subject, message, earlier: "[]", raised_at: at, resolved_at: null })
            .returningAll()
            .executeTakeFirstOrThrow();
          return toAlert(row);
        }
        const { earlier } = withMessage(toAlert(lasting), message, at);
        const row = await transaction
          .updateTable("alerts")
          .set({ message, earlier: JSON.stringify(earlier) })
          .where("id", "=", lasting.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toAlert(row);
      }),

    resolve: (kind, subject, resolvedAt) =>
      inTransaction(database, async (transaction) => {
        const row = await transaction
          .updateTable("alerts")
          .set({ resolved_at: resolvedAt })
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
        .orderBy((e) => e.fn.coalesce("resolved_at", "raised_at"), "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toAlert);
    },
  };
}

/** Returns a store that keeps no changes. */
export function withoutStorage(store: AlertStore): AlertStore {
  return {
    raise: async () => undefined,
    resolve: async () => undefined,
    open: async () => [],
    list: (limit) => store.list(limit),
  };
}

/** Maximum number of changes that wait to be stored; the oldest ones are dropped. */
const MAX_PENDING = 1_000;

/** A change that could not be stored yet. */
type Change =
  | { readonly kind: "raised"; readonly finding: Finding }
  | { readonly kind: "resolved"; readonly finding: Pick<Finding, "kind" | "subject" | "at"> };

/**
 * Keeps alerts in memory while the database cannot be written: a full disk or deleted files are alerts too. They are
 * stored with the next change that can be stored.
 */
export class BufferedAlertStore implements AlertStore {
  readonly #store: AlertStore;
  readonly #pending: Change[] = [];

  constructor(store: AlertStore) {
    this.#store = store;
  }

  async raise(finding: Finding): Promise<Alert | undefined> {
    try {
      await this.#flush();
      return await this.#store.raise(finding);
    } catch {
      const { kind, subject, message } = finding;
      const before = await this.#lasting(kind, subject);
      if (before?.message === message) return undefined;
      this.#add({ kind: "raised", finding });
      return this.#lasting(kind, subject);
    }
  }

  async resolve(kind: AlertKind, subject: string, at: number): Promise<Alert | undefined> {
    try {
      await this.#flush();
      return await this.#store.resolve(kind, subject, at);
    } catch {
      const known = await this.#lasting(kind, subject);
      if (known === undefined) return undefined;
      this.#add({ kind: "resolved", finding: { kind, subject, at } });
      return { ...known, resolvedAt: at };
    }
  }

  async open(): Promise<Alert[]> {
    const alerts = this.#withPending(await this.#store.open().catch(() => []));
    return alerts.filter(({ resolvedAt }) => resolvedAt === undefined);
  }

  async list(limit: number): Promise<Alert[]> {
    return this.#withPending((await this.#store.list(limit).catch(() => [])).reverse())
      .reverse()
      .sort((a, b) => Number(a.resolvedAt !== undefined) - Number(b.resolvedAt !== undefined))
      .slice(0, limit);
  }

  #add(change: Change): void {
    this.#pending.push(change);
    if (this.#pending.length > MAX_PENDING) this.#pending.shift();
  }

  /** Stores the changes in their order; those that fail stay. */
  async #flush(): Promise<void> {
    for (let change = this.#pending[0]; change !== undefined; change = this.#pending[0]) {
      if (change.kind === "raised") await this.#store.raise(change.finding);
      else await this.#store.resolve(change.finding.kind, change.finding.subject, change.finding.at);
      this.#pending.shift();
    }
  }

  async #lasting(kind: AlertKind, subject: string): Promise<Alert | undefined> {
    return (await this.open()).find((alert) => alert.kind === kind && alert.subject === subject);
  }

  /**
   * Applies the changes that are not stored yet.
   * @param stored The newest last
   */
  #withPending(stored: readonly Alert[]): Alert[] {
    const alerts = [...stored];
    for (const { kind, finding } of this.#pending) {
      const index = alerts.findIndex(
        (each) => each.resolvedAt === undefined && each.kind === finding.kind && each.subject === finding.subject,
      );
      const lasting = alerts[index];
      if (kind === "resolved") {
        if (lasting !== undefined) alerts[index] = { ...lasting, resolvedAt: finding.at };
      } else if (lasting === undefined) {
        const { at: raisedAt, ...alert } = finding;
        alerts.push({ ...alert, earlier: [], raisedAt, resolvedAt: undefined });
      } else if (lasting.message !== finding.message) {
        alerts[index] = withMessage(lasting, finding.message, finding.at);
      }
    }
    return alerts;
  }
}
