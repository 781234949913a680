import * as z from "zod";
import { SealbookError } from "../../errors.ts";
import { MARKER_FILE } from "./layout.ts";
import type { ObjectStore } from "./object-store.ts";

const FORMAT = "sealbook-replica/1";
const MAX_BYTES = 4_096;

const Content = z.object({ format: z.literal(FORMAT), journal: z.string() });

/** The file that identifies the journal of a target. */
export class Marker {
  readonly #store: ObjectStore;
  readonly #journal: string;
  #seen = false;
  #claimed = false;

  /** @param journal Identifier of the journal; the same for all its writers, and different for every other journal */
  constructor(store: ObjectStore, journal: string) {
    this.#store = store;
    this.#journal = journal;
  }

  /**
   * Checks the owner of the target.
   * @returns false when it has no owner yet
   * @throws SealbookError `conflict` when it belongs to another journal, or belonged to this one and has no marker any
   * more: most likely it is the empty mount point of a disk that is not mounted
   */
  async check(): Promise<boolean> {
    const content = await this.#store.get(MARKER_FILE, MAX_BYTES);
    if (content === undefined) {
      if (this.#seen) throw this.#refusal(`has lost its ${MARKER_FILE}: is it mounted?`);
      return false;
    }
    const owner = ownerIn(content);
    if (owner === undefined) throw this.#refusal(`has a ${MARKER_FILE} that cannot be understood`);
    if (owner !== this.#journal) throw this.#refusal(`belongs to the journal ${owner}, not to ${this.#journal}`);
    this.#seen = true;
    return true;
  }

  /** Claims the target for this journal before the first write. */
  async claim(): Promise<void> {
    if (this.#claimed) return;
    const content = Buffer.from(`${JSON.stringify({ format: FORMAT, journal: this.#journal }, null, 2)}\n`);
    if (!(await this.check())) await this.#store.create(MARKER_FILE, content);
    // Another writer may have claimed it first.
    await this.check();
    if (await this.#store.create(MARKER_FILE, content)) {
      throw this.#refusal(
        "ignores conditional writes and overwrites files: two writers could destroy each other's segments",
      );
    }
    this.#claimed = true;
  }

  #refusal(message: string): SealbookError {
    return new SealbookError("conflict", `${this.#store.name} ${message}`);
  }
}

/**
 * Returns the identifier of the journal that owns the target; `undefined` when it has no owner.
 * @throws SealbookError `conflict` when its marker is invalid
 */
export async function readOwner(store: ObjectStore): Promise<string | undefined> {
  const content = await store.get(MARKER_FILE, MAX_BYTES);
  if (content === undefined) return undefined;
  const owner = ownerIn(content);
  if (owner === undefined)
    throw new SealbookError("conflict", `${store.name} has a ${MARKER_FILE} that cannot be understood`);
  return owner;
}

function ownerIn(content: Buffer): string | undefined {
  try {
    return Content.parse(JSON.parse(content.toString())).journal;
  } catch {
    return undefined;
  }
}
