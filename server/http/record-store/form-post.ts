import { randomBytes } from "node:crypto";
import express, { type Request, type RequestHandler, type Response } from "express";
import * as z from "zod";
import { malformed, reasonOf, SealbookError } from "../../errors.ts";
import { cookieOf } from "../cookie.ts";
import { parseInput } from "../errors.ts";
import { parseJson, tooLarge, utf8 } from "../json-body.ts";
import { checkCall } from "./call-json.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";
/** Maximum bytes of a payload. A form has up to three characters for each byte. */
const MAX_PAYLOAD = 64 * 1024;
const MAX_BYTES = 3 * MAX_PAYLOAD + 1024;
const MAX_FIELDS = 10;
const TOKEN = "tmpl_sesstoken";
const TOKEN_BYTES = 48;
const TOKEN_PATTERN = /^0x[0-9a-f]{96}$/;

/** A call as a form of the panel posts it. An error names no other field: its name can be anything, even a secret. */
const FormCall = z.object({
  route: z.string(),
  login: z.string().optional(),
  password: z.string().optional(),
  token: z.string().optional(),
  payload: z.string().optional().meta({ description: "JSON text." }),
  [TOKEN]: z.string().optional(),
});

/** Returns the form token of a browser: that of its cookie, or a new one. */
export function formTokenOf(request: Request): string {
  const sent = cookieOf(request, TOKEN);
  return sent !== undefined && TOKEN_PATTERN.test(sent) ? sent : `0x${randomBytes(TOKEN_BYTES).toString("hex")}`;
}

/** Sets the cookie that a page's forms have to match. Pages of other sites can neither read nor send it. */
export function setFormTokenCookie(request: Request, response: Response, token: string): void {
  response.cookie(TOKEN, token, { httpOnly: true, sameSite: "strict", secure: request.secure, path: "/" });
}

/** Whether a request is a form post. */
export function isFormPost(request: Request): boolean {
  return typeof request.is(FORM_TYPE) === "string";
}

/**
 * Parses a form post into a call.
 * @throws SealbookError `form_token_invalid` when the form's token is missing or not that of the cookie
 */
export function formPost(): RequestHandler[] {
  return [
    express.urlencoded({ limit: MAX_BYTES, type: FORM_TYPE, extended: false, parameterLimit: MAX_FIELDS }),
    (request, _response, next) => {
      request.body = callOf(request);
      next();
    },
  ];
}

function callOf(request: Request): object {
  const { [TOKEN]: formToken, route, payload, ...credentials } = parseInput(FormCall, request.body);
  const expected = cookieOf(request, TOKEN);
  if (formToken === undefined || !TOKEN_PATTERN.test(formToken) || formToken !== expected)
    throw new SealbookError("form_token_invalid", `${TOKEN} is not that of this browser; load the page again`);
  return { method: "GET", route, credentials, ...(payload === undefined ? {} : { payload: payloadOf(payload) }) };
}

function payloadOf(field: string): unknown {
  const bytes = Buffer.from(field);
  if (bytes.length > MAX_PAYLOAD) throw tooLarge(MAX_PAYLOAD);
  const call = { payload: parsed(bytes) };
  // As the call that the form stands for, so that the paths of its errors are the same.
  checkCall(call, `{"payload":${utf8.decode(bytes)}}`);
  return call.payload;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw malformed("payload", reasonOf(error), error);
  }
}
