declare module "world-atlas/*?url" {
  /** Where the file is on the server. */
  const url: string;
  export default url;
}
