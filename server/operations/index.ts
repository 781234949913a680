export type { Alert, AlertStore } from "./alert.ts";
