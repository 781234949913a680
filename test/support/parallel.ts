/** Declares tests that run at the same time, each on its own: most of what they do is to wait. */
export function inParallel(cases: Readonly<Record<string, () => Promise<void>>>): void {
  const runs = new Map<string, Promise<void>>();
  before(() => {
    for (const [name, run] of Object.entries(cases)) {
      const running = run();
      // It is told by its test, which may begin long after it has failed.
      running.catch(() => undefined);
      runs.set(name, running);
    }
  });
  after(() => Promise.allSettled(runs.values()));
  for (const name of Object.keys(cases)) it(name, () => runs.get(name));
}
