export type { AccountService, NewAccount } from "./account-service.ts";
export { type AccountChange, type AccountStore, accountStore } from "./account-store.ts";
export type { SessionEvents } from "./events.ts";
export type { PanelFragments } from "./routes.ts";
export { ALL_ACCOUNTS, type ServiceLogLine, type ServiceLogStore, serviceLogStore } from "./service-log.ts";
export type { Authorized, SessionService } from "./service.ts";
