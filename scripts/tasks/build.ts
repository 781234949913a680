import type { HardhatPlugin } from "hardhat/types/plugins";
import { waitForDirectory } from "../../server/kit/directory-lock.ts";

/** Makes builds of the contracts repeatable, and lets several processes build at a time. */
export const contractBuild: HardhatPlugin = {
  id: "contract-build",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        // Hardhat writes its cache by way of one temporary file; TypeChain rewrites all of its files.
        async build(context, files, options, next) {
          const lock = await waitForDirectory(context.config.paths.cache, "build");
          try {
            return await next(context, files, options);
          } finally {
            lock.release();
          }
        },
        // TypeChain lists the contracts as it is given them: in the order of a folder's entries, which depends on the
        // disk and on what was compiled before. Sorted, the generated files are the same everywhere.
        async processArtifactsAfterSuccessfulBuild(_context, artifactPaths) {
          // Hardhat hands one array to all plugins, and to this one first.
          (artifactPaths as string[]).sort();
        },
      }),
    }),
  },
};
