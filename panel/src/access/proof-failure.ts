import { ClientError } from "../../../client/errors.ts";
import { failureText } from "../explorer/failure-text.ts";
import { texts } from "../texts/texts.ts";
import { access } from "./proof-access.ts";

/** Describes a failure of the integrity-proof API, and its remedy. */
export function proofFailure(error: unknown): { readonly title: string; readonly help: string } {
  const { failures } = texts.value.verify;
  if (!(error instanceof ClientError)) return failureText(error);
  if (error.code === "unauthorized")
    return { title: failures.unauthorized, help: access.value === "" ? failures.unauthorizedHelp : failures.wrongKey };
  if (error.code === "forbidden") return { title: failures.forbidden, help: error.message };
  if (error.code === "conflict") return { title: failures.notYet, help: error.message };
  return failureText(error);
}
