/**
 * The variables that started processes inherit from the tests' environment: enough to run, none that configures the
 * product. The cache of compiled code, which `npm run test:server` sets, shortens their start.
 */
export const SURROUNDINGS: Readonly<Record<string, string | undefined>> = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
};
