import { assert } from "chai";

/** Returns the error of a rejected promise. */
export async function thrownBy(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => assert.fail("nothing was thrown"),
    (thrown: unknown) => thrown,
  );
  assert.instanceOf(error, Error);
  return error;
}
