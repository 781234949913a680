declare module "world-atlas/*?url" {
  /** Address of the file on the server. */
  const url: string;
  export default url;
}
