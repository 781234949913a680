import { type Kysely, sql } from "kysely";
import { isPostgres } from "../portable-schema.ts";

const REFUSAL = "the journal is append-only";

/** Has the database itself refuse to change or delete rows of a table, whoever asks. */
export async function refuseChanges(db: Kysely<unknown>, table: string): Promise<void> {
  await refuse(db, table, "update");
  await refuse(db, table, "delete");
}

/** Has the database itself refuse to change some columns of a table, or to delete its rows. */
export async function refuseChangesOf(db: Kysely<unknown>, table: string, columns: readonly string[]): Promise<void> {
  await refuse(db, table, "update", columns);
  await refuse(db, table, "delete");
}

async function refuse(db: Kysely<unknown>, table: string, event: "update" | "delete", columns: readonly string[] = []): Promise<void> {
  const name = sql.ref(`${table}_no_${event}`);
  const of = columns.length === 0 ? sql`` : sql` of ${sql.join(columns.map((column) => sql.ref(column)))}`;
  const what = sql`before ${sql.raw(event)}${of} on ${sql.table(table)}`;
  if (isPostgres(db)) {
    await sql`create or replace function refuse_change() returns trigger language plpgsql as ${sql.lit(`begin raise exception '${REFUSAL}'; end`)}`.execute(db);
    await sql`create trigger ${name} ${what} for each row execute function refuse_change()`.execute(db);
    if (event === "delete") {
      await sql`create trigger ${sql.ref(`${table}_no_truncate`)} before truncate on ${sql.table(table)} for each statement execute function refuse_change()`.execute(db);
    }
    // Not even the owner of the table, until he gives himself the right again.
    if (columns.length === 0) await sql`revoke ${sql.raw(event)} on ${sql.table(table)} from public, current_user`.execute(db);
  } else {
    await sql`create trigger ${name} ${what} begin select raise(abort, ${sql.lit(REFUSAL)}); end`.execute(db);
  }
}
