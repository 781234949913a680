import { type Example, JSON_TYPE } from "../http/openapi/operation.ts";

/** Placeholders for an account and a token. */
export const EXAMPLE_CREDENTIALS = {
  login: "0xFBe5De18854b6CB07708257F33Ea0aA2c43CED20",
  password: "the password of the account",
  token: "0x8a9e46ffe8521c46b3be256f939891ec9e05aa500e22e1d1f6b1bdaf02d9f4d7",
} as const;

const { login, password, token } = EXAMPLE_CREDENTIALS;
const SUCCESSOR = "0x2a2ab90bbe4360738e8f5f07e16f81a1b3d364bb8716335d2f89584a9db87e94";
const UNKNOWN_TOKEN = `0x${"0".repeat(64)}`;
const RENDER = "0.020091";
const COMPONENT = Buffer.from("<form></form>\n").toString("base64");
const FORM_TOKEN = "0x70e28cbfd7cb63ef5cfe36c4f892ae02733e157e05994c494a5b42bee6c448bff1747268972cd486f1f2e52154b2a69a";

const READING = {
  sensorvalue: 12.5,
  sensordevice: "SDS011",
  enrichment: { position: { lng: 100.52, lat: 13.74 }, title: "Roof" },
};

const ROW =
  "317c3078303061333239633036343837363961373361666163376639333831653038666234336462656137327c637c64" +
  "7c65794a72496a6f69646e5a32646e5a32646e5a32646e5a32646e5a32646e5a32646e5a32646e5a32496e303d7c7c31";
const word = (value: number): string => value.toString(16).padStart(64, "0");
/** Call data of `set`: table name, row data, row id, compression and signature. */
const CALL_DATA = [
  "0xf609bacf",
  word(0xa0),
  word(0xc0),
  word(0xe0),
  word(0),
  word(0x160),
  word(0x20),
  "78".repeat(32),
  word(0x60),
  ROW,
  word(0x40),
  "73".repeat(64),
].join("");

const TRANSACTION = {
  comp: { reference: 0, type: "bool" },
  rowdata: {
    filechain: "1|0x00a329c0648769a73afac7f9381e08fb43dbea72|c|d|eyJrIjoidnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2dnZ2In0=||1",
    payload: { k: "v".repeat(24) },
    hexdata: ROW,
    length: 96,
    reference: 224,
    type: "bytes",
  },
  rowid: { reference: 12, type: "uint256" },
  signature: { hexdata: "73".repeat(64), length: 64, reference: 352, type: "string" },
  tabname: { hexdata: "78".repeat(32), length: 32, reference: 160, type: "string" },
};

const session = {
  addr: login,
  pkey: "0xd3ce8206ef1aec90829f55ec0bb81382440dcf16af30ebc407d9f94be30810d2",
  scope: "full",
  session: 60,
};
const replaced = (tryextend: boolean) => ({
  sesstatus: true,
  tryextend,
  tparams: { ...session, svcauth: token, tx: SUCCESSOR },
});

const call = (route: string, credentials: object, payload?: object): NonNullable<Example["body"]> => ({
  type: JSON_TYPE,
  value: { credentials, method: "GET", route, ...(payload === undefined ? {} : { payload }) },
});

function succeeded(
  name: string,
  summary: string,
  route: string,
  credentials: object,
  content: object,
  payload?: object,
): Example {
  const value = { content, msg: `${route} fetch is successful`, render: RENDER, status: 1 };
  return { name, summary, body: call(route, credentials, payload), response: { status: 200, type: JSON_TYPE, value } };
}

function failed(
  name: string,
  summary: string,
  route: string,
  credentials: object,
  status: number,
  error: { readonly code: string; readonly message: string },
  payload?: object,
): Example {
  const value = { content: { error }, msg: `${route} fetch is failed: ${error.message}`, render: RENDER, status: 0 };
  return { name, summary, body: call(route, credentials, payload), response: { status, type: JSON_TYPE, value } };
}

const record = { code: "station-1", topic: "PM2.5", payload: READING };

export const RECORD_EXAMPLES: readonly Example[] = [
  succeeded(
    "auth",
    "Log in",
    "/api/admin/auth",
    { login, password },
    {
      component: COMPONENT,
      component_render: RENDER,
      tparams: {
        ...session,
        extensions: [{ name: "records", title: "Records", version: "0.1.0" }],
        stats: { records: 0, accounts: 1, sessions: 1, block: 5, uptime: 60 },
        status: true,
        svcauth: "",
        svclogs: [{ time: "2026-11-21T20:07:31.000Z", level: "info", message: "session opened" }],
        table: "panel/area",
        tmpl_sesstoken: FORM_TOKEN,
        tx: token,
      },
    },
  ),
  failed("authRefused", "Log in with a wrong password", "/api/admin/auth", { login, password: "wrong" }, 401, {
    code: "login_refused",
    message: "login or password is wrong",
  }),
  succeeded("validate", "Validate a session", "/api/admin/session/validate", { token }, replaced(true)),
  failed(
    "validateUnknown",
    "Validate an unknown session",
    "/api/admin/session/validate",
    { token: UNKNOWN_TOKEN },
    401,
    {
      code: "token_invalid",
      message: "no session has this token",
    },
  ),
  succeeded("extend", "Extend a session", "/api/admin/session/extend", { token }, replaced(false)),
  failed("extendRefused", "Extend a session without validation", "/api/admin/session/extend", { token }, 409, {
    code: "extend_refused",
    message: "the session has to be validated before it is extended",
  }),
  succeeded(
    "store",
    "Store a record",
    "/api/datastore/event/store",
    { token },
    { chainid: 1, event: "PM25", notification: false, result: "success" },
    record,
  ),
  succeeded(
    "search",
    "Search by code",
    "/api/datastore/event/search",
    { token },
    {
      component_render: RENDER,
      tparams: {
        events: [
          [
            login,
            record.code,
            "Sat, 21 Nov 2026 20:07:31 GMT",
            Buffer.from(JSON.stringify(READING)).toString("base64"),
            record.topic,
          ],
        ],
      },
    },
    { search: { target: "1", value: "station-*", limit: 10 } },
  ),
  succeeded(
    "decode",
    "Decode a transaction",
    "/api/datastore/transaction/decode",
    { token },
    {
      component_render: RENDER,
      tparams: {
        transaction: TRANSACTION,
        checks: { passed: false, signer: null, signed_by_sender: false, row_id_matches: false },
        record: null,
      },
    },
    { function: "set", inputdata: CALL_DATA },
  ),
  failed(
    "decodeNothing",
    "Decode invalid call data",
    "/api/datastore/transaction/decode",
    { token },
    400,
    {
      code: "malformed",
      message: "payload.inputdata: 1 bytes are too short for a selector",
    },
    { function: "set", inputdata: "0x12" },
  ),
  succeeded(
    "close",
    "Close a session",
    "/api/admin/session/close",
    { token },
    {
      component: COMPONENT,
      component_render: RENDER,
      tparams: { svcauth: token, table: "panel/login", tmpl_sesstoken: FORM_TOKEN },
    },
  ),
];
