import { NodeError } from "./rpc.ts";

/** A node that lacks a method is still a node; one that does not answer is not. */
export function ifNodeError<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof NodeError) return otherwise;
    throw error;
  };
}
