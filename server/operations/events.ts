import type { ChainEvents } from "../chain/events.ts";
import type { JournalEvents } from "../journal/events.ts";
import type { ProofEvents } from "../proofs/index.ts";
import type { RecordEvents } from "../records/index.ts";
import type { SessionEvents } from "../sessions/index.ts";

/** Every business event of the server. */
export type Telemetry = SessionEvents & RecordEvents & ProofEvents & JournalEvents & ChainEvents;
