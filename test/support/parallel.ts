/** Declares independent tests that run concurrently: they mostly wait. */
export function inParallel(cases: Readonly<Record<string, () => Promise<void>>>): void {
  const runs = new Map<string, Promise<void>>();
  before(() => {
    for (const [name, run] of Object.entries(cases)) {
      const running = run();
      // The test reports the failure, possibly long after it occurred.
      running.catch(() => undefined);
      runs.set(name, running);
    }
  });
  after(() => Promise.allSettled(runs.values()));
  for (const name of Object.keys(cases)) it(name, () => runs.get(name));
}
