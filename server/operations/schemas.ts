import { z } from "zod";
import { pageLimit } from "../http/fields.ts";

const MAX_ALERTS = 1_000;
const DEFAULT_ALERTS = 100;

/** `GET /api/v1/alerts` */
export const AlertsQuery = z.object({ limit: pageLimit(MAX_ALERTS, DEFAULT_ALERTS) });
