/**
 * Parsed JSON, or another value whose shape the assertions of a test check: a type would only repeat the schema under
 * test. The one place where tests leave the type system.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type ParsedJson = any;
