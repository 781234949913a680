/**
 * Time without a statement, or without a response, after which the session of a leader ends. Longer than any pause of a
 * process that works.
 */
export const SILENCE_MILLISECONDS = 10_000;
