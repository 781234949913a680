import { type ErrorCode, type ErrorDetail, SealbookError } from "../../errors.ts";

/** The outcome of a job, as it crosses between threads: an error loses its class and its fields on the way. */
export type Reply<Result> =
  | { readonly result: Result }
  | {
      readonly refusal: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly details: readonly ErrorDetail[] | undefined;
        readonly retryAfterSeconds: number | undefined;
      };
    };

/** Creates the handler of a thread's module, which exports it. */
export function serveJobs<Job, Result, Data = undefined>(
  run: (job: Job, data: Data) => Result | Promise<Result>,
): (message: { readonly job: Job; readonly data: Data }) => Promise<Reply<Result>> {
  return async ({ job, data }) => {
    try {
      return { result: await run(job, data) };
    } catch (error) {
      if (!(error instanceof SealbookError)) throw error;
      const { code, message, details, retryAfterSeconds } = error;
      return { refusal: { code, message, details, retryAfterSeconds } };
    }
  };
}

/**
 * Returns the result of a job.
 * @throws SealbookError of the job
 */
export function resultOf<Result>(reply: Reply<Result>): Result {
  if ("result" in reply) return reply.result;
  const { code, message, details, retryAfterSeconds } = reply.refusal;
  throw new SealbookError(code, message, {
    ...(details === undefined ? {} : { details }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
