const REASONS: Readonly<Record<string, string>> = {
  EACCES: "cannot be read (permission denied)",
  EPERM: "cannot be read (permission denied)",
  ENOENT: "does not exist",
  ELOOP: "is a circular symbolic link",
  EISDIR: "is a folder",
};

/** Describes the reason of a failure. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? error.message;
}
