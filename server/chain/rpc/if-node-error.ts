import { NodeError } from "./rpc.ts";

/** Replaces the error of a node that lacks a method; an unavailable node stays an error. */
export function ifNodeError<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof NodeError) return otherwise;
    throw error;
  };
}
