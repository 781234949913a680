import type { Request, Response } from "express";
import { SealbookError } from "../errors.ts";

const NAME = "svcauth";

/** Sets the token cookie for the remaining lifetime of the token. */
export function setTokenCookie(request: Request, response: Response, token: string, remainingSeconds: number): void {
  response.cookie(NAME, token, {
    httpOnly: true,
    sameSite: "strict",
    secure: request.secure,
    path: "/",
    maxAge: remainingSeconds * 1000,
  });
}

/** Deletes the token cookie. */
export function clearTokenCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, { httpOnly: true, sameSite: "strict", secure: request.secure, path: "/" });
}

/**
 * Checks that a token cookie, if present, equals `credentials.token`. A different cookie indicates mixed-up sessions.
 * @throws SealbookError `token_mismatch`
 */
export function checkTokenCookie(request: Request, token: string): void {
  const sent = readCookie(request.headers.cookie ?? "");
  if (sent !== undefined && sent.toLowerCase() !== token.toLowerCase()) {
    throw new SealbookError("token_mismatch", `the cookie ${NAME} differs from credentials.token`);
  }
}

function readCookie(header: string): string | undefined {
  for (const pair of header.split(";")) {
    const [name, ...value] = pair.split("=");
    if (name?.trim() === NAME) return value.join("=").trim();
  }
  return undefined;
}
