import type { Request, Response } from "express";
import { SealbookError } from "../errors.ts";

const NAME = "svcauth";

/** Lets a browser keep the token for as long as it lives. */
export function setTokenCookie(request: Request, response: Response, token: string, remainingSeconds: number): void {
  response.cookie(NAME, token, {
    httpOnly: true,
    sameSite: "strict",
    secure: request.secure,
    path: "/",
    maxAge: remainingSeconds * 1000,
  });
}

/** Takes the cookie back. */
export function clearTokenCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, { httpOnly: true, sameSite: "strict", secure: request.secure, path: "/" });
}

/**
 * `credentials.token` is what counts, but a browser that sends another token in its cookie mixes up two sessions.
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
