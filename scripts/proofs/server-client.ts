import { ClientError, ProofClient, type ProofClientOptions } from "../../client/index.ts";
import { BAD_USAGE, CommandFailure } from "../commands/run-command.ts";

const UNAUTHORIZED = 401;

/** Environment variables for credentials. Command arguments are visible to all users of the machine. */
export const KEY_VARIABLE = "SEALBOOK_API_KEY";
export const TOKEN_VARIABLE = "SEALBOOK_TOKEN";

/** Help text for credentials. */
export const CREDENTIALS_HELP =
  `If the server requires authentication, set ${KEY_VARIABLE} to the API key or ${TOKEN_VARIABLE} to the token ` +
  "(JWT).";

/** Creates a client that sends the credentials of the environment. */
export function proofClient(url: string, options: Pick<ProofClientOptions, "retryForMilliseconds"> = {}): ProofClient {
  return new ProofClient(url, { ...options, headers: credentialHeaders(process.env) });
}

/**
 * Returns the headers for an API key, a token, or both. The server uses the one that it accepts.
 * @throws CommandFailure for invalid characters; the message does not contain the value
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
  // An error of the HTTP client would contain the value.
  if (!/^[\x21-\x7e]*$/.test(text))
    throw new CommandFailure(`${name} contains characters that are invalid in keys and tokens`, BAD_USAGE);
  return text === "" ? undefined : text;
}

/** Checks the connection to the server before reading files. */
export async function assertReachable(url: string): Promise<void> {
  try {
    await proofClient(url, { retryForMilliseconds: 0 }).status();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    throw new CommandFailure(isUnreachable(error) ? error.message : `${url} ${errorText(error)}`);
  }
}

/** Whether there was no response. */
function isUnreachable({ code }: ClientError): boolean {
  return code === "unreachable" || code === "timeout";
}

/** Describes an error response of a server. */
function errorText({ code, status, message }: ClientError): string {
  if (code === "unexpected_response") return `is not a Sealbook server: ${message}`;
  return `rejects the request: ${message}${status === UNAUTHORIZED ? ` (${KEY_VARIABLE} or ${TOKEN_VARIABLE})` : ""}`;
}
