/** Who leads, as the journal says. */
interface LeaderRow {
  /** Id of the relayer. */
  readonly holder: string;
  /** Number of the leadership. */
  readonly epoch: number;
}

/** The leader that this relayer knows of. */
export class KnownLeader {
  readonly #read: () => Promise<LeaderRow | undefined>;
  #newest: { readonly row: LeaderRow; readonly over: AbortController; asked: number } | undefined;
  #asked = 0;

  /** @param read Reads the leader from the journal */
  constructor(read: () => Promise<LeaderRow | undefined>) {
    this.#read = read;
  }

  /** Asks who leads. Calls of an earlier leader end: one that is halted would never respond. */
  async ask(): Promise<(LeaderRow & { readonly over: AbortSignal }) | undefined> {
    const asked = (this.#asked += 1);
    const row = await this.#read();
    if (row === undefined) return undefined;
    const known = this.#newest;
    const isSame = known?.row.epoch === row.epoch && known.row.holder === row.holder;
    // Responses of the database can overtake each other.
    if (known !== undefined && (isSame || asked < known.asked)) {
      known.asked = Math.max(known.asked, asked);
      return { ...known.row, over: known.over.signal };
    }
    const over = new AbortController();
    this.#newest = { row, over, asked };
    known?.over.abort();
    return { ...row, over: over.signal };
  }
}
