/** Maximum number of writes per work: without it the journal, and so the work, would grow on a slow machine. */
const MOST_WRITES = 8;

/** Writes during some work. */
export async function besideWrites<T>(write: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let isDone = false;
  const writing = (async () => {
    for (let n = 0; n < MOST_WRITES && !isDone; n += 1) await write();
  })();
  try {
    return await work();
  } finally {
    isDone = true;
    await writing;
  }
}
