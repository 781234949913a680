import { describeHostileAdministrator } from "../support/hostile-administrator.ts";

describeHostileAdministrator("sqlite");
