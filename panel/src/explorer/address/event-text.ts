import type { AddressActivity } from "../../../../client/index.ts";
import { shortened } from "../../format/shortened.ts";
import { texts } from "../../texts/texts.ts";

type Event = AddressActivity["activity"][number]["event"];

/** Describes an event of the contracts; an event without a text is shown by its name. */
export function eventText(event: Event): string {
  const { events } = texts.value.explorer;
  if (event === undefined) return events.foreign;
  const value = (name: string): string =>
    String(event.arguments.find((argument) => argument.name === name)?.value ?? "");
  switch (event.name) {
    case "Anchored":
      return value("size") === "0" ? events.anchored : events.anchoredBatch(Number(value("size")));
    case "RowWritten":
      return events.rowWritten(value("rowid"), value("tabname"));
    case "SessionOpened":
      return events.sessionOpened(shortened(value("account")));
    case "SessionValidated":
      return events.sessionValidated;
    case "SessionExtended":
      return events.sessionExtended;
    case "SessionClosed":
      return events.sessionClosed;
    case "AccountEnrolled":
      return events.accountEnrolled(shortened(value("account")));
    case "AccountRevoked":
      return events.accountRevoked(shortened(value("account")));
    case "RoleGranted":
      return events.roleGranted(shortened(value("account")));
    case "RoleRevoked":
      return events.roleRevoked(shortened(value("account")));
    case "LifetimeChanged":
      return events.lifetimeChanged(value("lifetime"));
    default:
      return event.name;
  }
}
