/** Looks in a row that have to agree before something counts as wrong, or as right again. */
export const LOOKS_TO_RAISE = 3;
const LOOKS_TO_RESOLVE = 2;

/** A state that changes only when it was seen otherwise several times in a row. */
export class Steady {
  #isSet = false;
  #otherwise = 0;

  see(value: boolean): boolean {
    this.#otherwise = value === this.#isSet ? 0 : this.#otherwise + 1;
    if (this.#otherwise >= (this.#isSet ? LOOKS_TO_RESOLVE : LOOKS_TO_RAISE)) {
      this.#isSet = value;
      this.#otherwise = 0;
    }
    return this.#isSet;
  }
}
