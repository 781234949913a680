import { assert } from "chai";
import { startTlsProxy } from "../support/tls-proxy.ts";
import { botVariables } from "../support/bot.ts";
import { eventually } from "../support/eventually.ts";
import { post } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { TelegramServer } from "../support/telegram-server.ts";
