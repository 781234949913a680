import { randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import { getAddress } from "ethers";
import type { Address } from "../chain/transaction.ts";
import type { ServiceLogStore } from "./service-log.ts";
import type { SessionService, SessionView } from "./service.ts";
import { noteAccount } from "../http/access/caller.ts";
import { sourceOf } from "../http/access/source.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { secondsSince } from "../http/record-store/envelope.ts";
import { serveCall, type ServedCall } from "../http/record-store/router.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { LoginLimit } from "./login-limit.ts";
import { auth, close, extend, validate } from "./api.ts";
import type { AuthContent, SessionContent } from "./responses.ts";
import { prefixedHex } from "../kit/bytes.ts";

const NAME = "svcauth";

/** Sets the token cookie for the remaining lifetime of the token. */
function setTokenCookie(request: Request, response: Response, token: string, remainingSeconds: number): void {
  response.cookie(NAME, token, {
    httpOnly: true,
    sameSite: "strict",
    secure: sourceOf(request).isSecure,
    path: "/",
    maxAge: remainingSeconds * 1000,
  });
}

/** Deletes the token cookie. */
function clearTokenCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, { httpOnly: true, sameSite: "strict", secure: sourceOf(request).isSecure, path: "/" });
}

/** System statistics in the panel. */
interface ServiceStatistics {
  readonly records: number;
  readonly accounts: number;
  /** Live sessions. */
  readonly sessions: number;
  /** Number of the newest block. */
  readonly block: number;
  /** Seconds since the server started. */
  readonly uptime: number;
}

/** HTML fragments of the panel. */
export interface PanelFragments {
  /** Panel extensions that this server provides. */
  readonly extensions: readonly { name: string; title: string; version: string }[];
  login(view: { formToken: string }): string;
  area(view: {
    account: Address;
    token: string;
    secureKey: string;
    /** Remaining seconds of the session. */
    remaining: number;
    statistics: ServiceStatistics;
    log: readonly { time: string; level: string; message: string }[];
    formToken: string;
  }): string;
}

/** Returns a value for `tmpl_sesstoken`, which responses have and nothing depends on. */
function newFormToken(): string {
  return prefixedHex(randomBytes(48));
}

/** Service log lines in a response. */
const MAX_LOG_LINES = 20;

/** Dependencies of the session routes. */
export interface SessionRouteDeps {
  readonly sessions: SessionService;
  readonly serviceLog: ServiceLogStore;
  readonly statistics: () => Promise<ServiceStatistics>;
  readonly panel: PanelFragments;
  readonly limitLogins: LoginLimit;
  readonly replacementsPerAccount: RateLimit;
}

/** The calls of sessions. */
export function sessionCalls(deps: SessionRouteDeps): ServedCall[] {
  const { sessions, panel, replacementsPerAccount } = deps;
  const limitOf =
    (response: Response) =>
    (account: Address): Promise<void> =>
      replacementsPerAccount(account, response);
  return [
    serveCall(auth)(({ credentials }, request, response) => authenticate(deps, credentials, request, response)),
    serveCall(validate)(({ credentials: { token } }, request, response) =>
      replace(token, request, response, (key) => sessions.validate(token, limitOf(response), key)),
    ),
    serveCall(extend)(({ credentials: { token } }, request, response) =>
      replace(token, request, response, (key) => sessions.extend(token, limitOf(response), key)),
    ),
    serveCall(close)(async ({ credentials: { token } }, request, response) => {
      noteAccount(request, (await sessions.close(token)).account);
      clearTokenCookie(request, response);
      const formToken = newFormToken();
      const start = performance.now();
      const login = panel.login({ formToken });
      return {
        component: toBase64(login),
        component_render: secondsSince(start),
        tparams: { svcauth: token, table: "panel/login", tmpl_sesstoken: formToken },
      };
    }),
  ];
}

async function authenticate(
  deps: SessionRouteDeps,
  { login, password }: { readonly login: string; readonly password: string },
  request: Request,
  response: Response,
): Promise<AuthContent> {
  const account = getAddress(login.toLowerCase());
  const { key: source } = sourceOf(request);
  const view = await deps.limitLogins(account, source, () => deps.sessions.authenticate(account, password, source));
  noteAccount(request, view.account);
  const [lines, stats] = await Promise.all([deps.serviceLog.newest(view.account, MAX_LOG_LINES), deps.statistics()]);
  const token = prefixedHex(view.token);
  const pkey = prefixedHex(view.secureKey);
  const svclogs = lines.map(({ time, level, message }) => ({ time: new Date(time).toISOString(), level, message }));
  const formToken = newFormToken();
  const start = performance.now();
  const area = deps.panel.area({
    account: view.account,
    token,
    secureKey: pkey,
    remaining: view.remaining,
    statistics: stats,
    log: svclogs,
    formToken,
  });
  setTokenCookie(request, response, token, view.remaining);
  return {
    component: toBase64(area),
    component_render: secondsSince(start),
    tparams: {
      addr: view.account,
      extensions: deps.panel.extensions,
      pkey,
      scope: view.scope,
      session: view.remaining,
      stats: { ...stats },
      status: true,
      svcauth: "",
      svclogs,
      table: "panel/area",
      tmpl_sesstoken: formToken,
      tx: token,
    },
  };
}

async function replace(
  token: string,
  request: Request,
  response: Response,
  change: (key: string | undefined) => Promise<SessionView>,
): Promise<SessionContent> {
  const view = await change(idempotencyKeyOf(request));
  noteAccount(request, view.account);
  const successor = prefixedHex(view.token);
  setTokenCookie(request, response, successor, view.remaining);
  return {
    sesstatus: view.remaining > 0,
    tryextend: view.extendable,
    tparams: {
      addr: view.account,
      pkey: prefixedHex(view.secureKey),
      scope: view.scope,
      session: view.remaining,
      svcauth: token,
      tx: successor,
    },
  };
}

function toBase64(html: string): string {
  return Buffer.from(html, "utf8").toString("base64");
}
