import type { Report } from "./report.ts";

/** Does a part of the run. When it fails, the rest can be measured all the same; the exit code tells. */
export async function attempt(report: Report, section: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    report.fail(section, error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
