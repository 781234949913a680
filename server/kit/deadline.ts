/**
 * Waits for a result until a deadline; a later result is dropped.
 * @param expired Creates the error of the deadline
 */
export async function within<T>(milliseconds: number, result: Promise<T>, expired: () => Error): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(expired()), milliseconds);
  try {
    return await Promise.race([result, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
