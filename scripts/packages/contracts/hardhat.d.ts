import type { HardhatPlugin } from "hardhat/types/plugins";

/** Adds the tasks `sealbook decode` and `sealbook verify`. */
declare const sealbook: HardhatPlugin;
export default sealbook;
