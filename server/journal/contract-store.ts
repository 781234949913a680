import type { Database } from "./engine/database.ts";
import type { Address } from "../chain/transaction.ts";

/** A contract that has anchors of the journal. */
export interface AnchorContract {
  readonly address: Address;
  /** Block of the journal's first anchor in it. */
  readonly firstBlock: number;
}

/**
 * Returns the id of an anchor contract; adds it when the journal has no anchor there yet.
 * @param block The block of the anchor
 */
export async function contractIdOf(database: Database, address: Address, block: number): Promise<number> {
  const find = () => database.selectFrom("contracts").select("id").where("address", "=", address).executeTakeFirst();
  const known = await find();
  if (known !== undefined) return known.id;
  await database
    .insertInto("contracts")
    .values({ address, first_block: block })
    // Another relayer on the same journal may have added it.
    .onConflict((conflict) => conflict.column("address").doNothing())
    .execute();
  const added = await find();
  if (added === undefined) throw new RangeError(`the journal lacks contract ${address}, which was just added`);
  return added.id;
}

/** Returns the contracts that have anchors of the journal, in the order of their first one. */
export async function anchorContracts(database: Database): Promise<AnchorContract[]> {
  const rows = await database.selectFrom("contracts").selectAll().orderBy("id").execute();
  return rows.map(({ address, first_block: firstBlock }) => ({ address, firstBlock }));
}

/** Returns the contract of the newest confirmed anchor; `undefined` before the first one. */
export async function newestContract(database: Database): Promise<Address | undefined> {
  const row = await database
    .selectFrom("confirmations")
    .innerJoin("contracts", "contracts.id", "confirmations.contract_id")
    .select("address")
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.address;
}

/**
 * Returns the name of the journal, which its replicas have: that of the first deployment, also after the contracts were
 * exchanged.
 * @param name Becomes the name of a journal without one
 */
export async function journalName(database: Database, name: string): Promise<string> {
  await database
    .insertInto("journal_name")
    .values({ id: 1, name })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  return (await database.selectFrom("journal_name").select("name").executeTakeFirstOrThrow()).name;
}
