/** Equal checks in a row that set a state. */
export const CHECKS_TO_RAISE = 3;
/** Equal checks in a row that clear a state. */
const CHECKS_TO_RESOLVE = 2;

/** A state that changes only after several equal checks in a row. */
export class Debounce {
  #isSet = false;
  #different = 0;

  /** Takes the result of a check, and returns the state. */
  update(value: boolean): boolean {
    this.#different = value === this.#isSet ? 0 : this.#different + 1;
    if (this.#different >= (this.#isSet ? CHECKS_TO_RESOLVE : CHECKS_TO_RAISE)) {
      this.#isSet = value;
      this.#different = 0;
    }
    return this.#isSet;
  }
}
