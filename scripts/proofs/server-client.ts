import { ClientError, ProofClient, type ProofClientOptions } from "../../client/index.ts";
import { CommandFailure } from "./run-command.ts";

const BAD_USAGE = 2;
const UNAUTHORIZED = 401;

/** Where credentials come from: arguments of a command are for every user of the machine to see. */
export const KEY_VARIABLE = "SEALBOOK_API_KEY";
export const TOKEN_VARIABLE = "SEALBOOK_TOKEN";

/** What the help of a command that asks a server says of them. */
export const CREDENTIALS_HELP = `Where the server wants to know who asks, ${KEY_VARIABLE} is the API key, or ${TOKEN_VARIABLE} the token (JWT), to show.`;

/** A client that shows the server what it may want to know of who asks. */
export function proofClient(url: string, options: Pick<ProofClientOptions, "retryForMilliseconds"> = {}): ProofClient {
  return new ProofClient(url, { ...options, headers: credentialHeaders(process.env) });
}

/**
 * The headers that show an API key, a token, or both: the server looks at the one that it takes.
 * @throws CommandFailure when a variable holds what is neither; what it holds is not told
 */
export function credentialHeaders(variables: NodeJS.ProcessEnv): Record<string, string> {
  const key = credential(variables, KEY_VARIABLE);
  const token = credential(variables, TOKEN_VARIABLE);
  return {
    ...(key === undefined ? {} : { "X-API-Key": key }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
}

function credential(variables: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = variables[name]?.trim() ?? "";
  // An error of the HTTP client would tell it.
  if (!/^[\x21-\x7e]*$/.test(text))
    throw new CommandFailure(`${name} holds characters that no key and no token has`, BAD_USAGE);
  return text === "" ? undefined : text;
}

/** A server that was never there, or lets nobody in, is told before thousands of files are read. */
export async function assertReachable(url: string): Promise<void> {
  try {
    await proofClient(url, { retryForMilliseconds: 0 }).status();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    throw new CommandFailure(isSilence(error) ? error.message : `${url} ${answerOf(error)}`);
  }
}

/** Whether nothing came back. */
export function isSilence({ code }: ClientError): boolean {
  return code === "unreachable" || code === "timeout";
}

/** What a server did instead of answering what it was asked. */
export function answerOf({ code, status, message }: ClientError): string {
  if (code === "unexpected_response") return `is not a server of proofs: ${message}`;
  return `refuses: ${message}${status === UNAUTHORIZED ? ` (${KEY_VARIABLE} or ${TOKEN_VARIABLE})` : ""}`;
}
