/** The connection to a node that nobody may use. */
export const NO_NODE = {
  chainId: 1,
  call: (method: string) => Promise.reject(new Error(`no node is asked for ${method}`)),
  close: () => undefined,
};
