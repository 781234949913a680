import type { Report } from "./report.ts";

/** Runs a section. After a failure the other sections are still measured; the exit code reports the failure. */
export async function attempt(report: Report, section: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    report.fail(section, error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
