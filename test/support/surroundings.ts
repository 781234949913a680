/**
 * What the processes that tests start take over from the tests' own environment: enough to run, nothing that configures
 * the product. The cache of compiled code, which `npm run test:server` sets, lets them start in half the time.
 */
export const SURROUNDINGS: Readonly<Record<string, string | undefined>> = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
};
