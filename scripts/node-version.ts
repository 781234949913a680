/** The oldest Node that runs the program: it removes types itself, and has SQLite. The same as `engines`. */
const OLDEST = [22, 18] as const;

/** Whether a version of Node, such as `v20.19.0`, is too old. */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.replace("v", "").split(".").map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** The oldest version as text. */
export const OLDEST_NODE = OLDEST.join(".");
