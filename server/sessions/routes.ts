import type { Request, Response } from "express";
import type { PanelFragments, ServiceStatistics } from "./panel-fragments.ts";
import type { ServiceLogStore } from "./service-log.ts";
import type { SessionService, SessionView } from "./service.ts";
import { noteAccount } from "../http/access/caller.ts";
import { sourceOf } from "../http/access/source.ts";
import { parseInput } from "../http/errors.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { clearTokenCookie, setTokenCookie } from "./cookie.ts";
import { formTokenOf } from "../http/record-store/form-post.ts";
import { secondsSince } from "../http/record-store/envelope.ts";
import type { RecordStoreRoute } from "../http/record-store/router.ts";
import type { LoginLimit } from "./login-limit.ts";
import type { AuthContent, CloseContent, SessionContent } from "./responses.ts";
import { AuthCall, TokenCall } from "./schemas.ts";
import { prefixedHex } from "../kit/hex.ts";

/** Service log lines in a response. */
const MAX_LOG_LINES = 20;

/** What the session routes need. */
export interface SessionRouteDeps {
  readonly sessions: SessionService;
  readonly serviceLog: ServiceLogStore;
  readonly statistics: () => Promise<ServiceStatistics>;
  readonly panel: PanelFragments;
  readonly limitLogins: LoginLimit;
}

/** The routes of sessions. */
export function sessionRoutes(deps: SessionRouteDeps): readonly (readonly [string, RecordStoreRoute])[] {
  return [
    ["/api/admin/auth", { handle: (request, response) => authenticate(deps, request, response) }],
    ["/api/admin/session/validate", { handle: (request, response) => validate(deps, request, response) }],
    ["/api/admin/session/extend", { handle: (request, response) => extend(deps, request, response) }],
    ["/api/admin/session/close", { handle: (request, response) => close(deps, request, response) }],
  ];
}

/** `/api/admin/auth` */
async function authenticate(deps: SessionRouteDeps, request: Request, response: Response): Promise<AuthContent> {
  const { login, password } = parseInput(AuthCall, request.body).credentials;
  const { key: source } = sourceOf(request);
  const view = await deps.limitLogins(login, source, () => deps.sessions.authenticate(login, password, source));
  noteAccount(request, view.account);
  const [lines, stats] = await Promise.all([deps.serviceLog.newest(view.account, MAX_LOG_LINES), deps.statistics()]);
  const token = prefixedHex(view.token);
  const pkey = prefixedHex(view.secureKey);
  const svclogs = lines.map(({ time, level, message }) => ({ time: new Date(time).toISOString(), level, message }));
  const formToken = formTokenOf(request);
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

/** `/api/admin/session/validate` */
function validate(deps: SessionRouteDeps, request: Request, response: Response): Promise<SessionContent> {
  return replace(request, response, (token, key) => deps.sessions.validate(token, key));
}

/** `/api/admin/session/extend` */
function extend(deps: SessionRouteDeps, request: Request, response: Response): Promise<SessionContent> {
  return replace(request, response, (token, key) => deps.sessions.extend(token, key));
}

/** `/api/admin/session/close` */
async function close(deps: SessionRouteDeps, request: Request, response: Response): Promise<CloseContent> {
  const token = tokenOf(request);
  noteAccount(request, (await deps.sessions.close(token)).account);
  clearTokenCookie(request, response);
  const formToken = formTokenOf(request);
  const start = performance.now();
  const login = deps.panel.login({ formToken });
  return {
    component: toBase64(login),
    component_render: secondsSince(start),
    tparams: { svcauth: token, table: "panel/login", tmpl_sesstoken: formToken },
  };
}

async function replace(
  request: Request,
  response: Response,
  change: (token: string, key: string | undefined) => Promise<SessionView>,
): Promise<SessionContent> {
  const token = tokenOf(request);
  const view = await change(token, idempotencyKeyOf(request));
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

function tokenOf(request: Request): string {
  return parseInput(TokenCall, request.body).credentials.token;
}

function toBase64(html: string): string {
  return Buffer.from(html, "utf8").toString("base64");
}
