import type { Request, Response } from "express";

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
