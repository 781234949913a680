/**
 * The variables that started processes inherit from the tests' environment: enough to run, none that configures the
 * product. The cache of compiled code, which `npm test` sets, shortens their start.
 */
export const SURROUNDINGS: Readonly<Record<string, string | undefined>> = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  TMPDIR: process.env["TMPDIR"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  // Hardhat writes the types in place, while servers of other tests start and load them.
  HARDHAT_NO_TYPECHAIN: "true",
};
