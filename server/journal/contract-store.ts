import * as z from "zod";
import type { Database } from "./engine/database.ts";
import type { Address } from "../chain/transaction.ts";
import type { ChainIdentity, ChainIdentityStore } from "../chain/identity.ts";
import type { ValidatorSetStore } from "../chain/consensus/validators.ts";
import { SealbookError } from "../errors.ts";
import { bytesOfHex, equalBytes, prefixedHex } from "../kit/bytes.ts";
import type { JournalKey } from "./integrity/journal-key.ts";

/** Returns the contract of the newest confirmed anchor; `undefined` before the first one. */
export async function newestContract(database: Database): Promise<Address | undefined> {
  const row = await database
    .selectFrom("confirmations")
    .select("contract")
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.contract;
}

const Contract = z.object({ address: z.string(), codeHash: z.string() });
const Contracts = z.object({ SessionRegistry: Contract, EventTable: Contract, ProofAnchor: Contract });

/** The identity of the journal's chain. */
export function chainIdentityStore(database: Database): ChainIdentityStore {
  const read = async (): Promise<ChainIdentity | undefined> => {
    const row = await database.selectFrom("chain_identity").selectAll().executeTakeFirst();
    if (row === undefined) return undefined;
    return { chainId: row.chain_id, genesisHash: prefixedHex(row.genesis_hash), contracts: contractsOf(row.contracts) };
  };
  return {
    read,
    async record({ chainId, genesisHash, contracts }) {
      // Only the leader writes.
      const known = await read();
      if (known !== undefined) return known;
      await database
        .insertInto("chain_identity")
        .values({
          id: 1,
          chain_id: chainId,
          genesis_hash: bytesOfHex(genesisHash),
          contracts: JSON.stringify(contracts),
        })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
      const recorded = await read();
      if (recorded === undefined) throw new SealbookError("internal", "the chain's identity was not recorded");
      return recorded;
    },
  };
}

/** @throws SealbookError `journal_damaged` when the row was changed */
function contractsOf(text: string): ChainIdentity["contracts"] {
  try {
    return Contracts.parse(JSON.parse(text));
  } catch (cause) {
    throw new SealbookError(
      "journal_damaged",
      "the journal has no contracts of its chain: the row of the table chain_identity was changed. Restore the " +
        "database from a backup, or the journal from a replica with `npx sealbook journal restore`",
      { cause },
    );
  }
}

/**
 * The validators that the server accepts blocks of. A relayer that does not lead stores none: the leader does. Sets
 * that no relayer has written count as none.
 */
export function validatorSetStore(database: Database, key: JournalKey): ValidatorSetStore {
  const codeOf = (fromBlock: number, validators: string): Uint8Array =>
    key.codeOfFacts("validators", [fromBlock, validators]);
  return {
    async read() {
      const rows = await database.selectFrom("validator_sets").selectAll().orderBy("from_block").execute();
      return rows.flatMap(({ from_block: fromBlock, validators, code }) =>
        equalBytes(code, codeOf(fromBlock, validators)) ? [{ fromBlock, validators: validators.split(",") }] : [],
      );
    },
    async add({ fromBlock, validators: addresses }) {
      const validators = addresses.join(",");
      await database
        .insertInto("validator_sets")
        .values({ from_block: fromBlock, validators, code: codeOf(fromBlock, validators) })
        .onConflict((conflict) => conflict.column("from_block").doNothing())
        .execute()
        .catch((error: unknown) => {
          if (!(error instanceof SealbookError && error.code === "not_leader")) throw error;
        });
    },
  };
}
