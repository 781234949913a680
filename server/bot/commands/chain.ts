import { formatEther } from "ethers";
import type { Clock } from "../../kit/time.ts";
import type { NodeInspector } from "../../chain/node/node-inspector.ts";
import type { RecordReader, SyncStep } from "../../records/index.ts";
import { ALL_ACCOUNTS, type ServiceLogStore } from "../../sessions/index.ts";
import { textMessage } from "../message.ts";
import { type Command, moment, textReply } from "./command.ts";

const TRANSACTIONS = 10;
const SYNC_LINES = 30;

/** How far the database has come after the blockchain. */
export interface SyncState {
  /** The newest block whose records it has. */
  readonly copied: number | undefined;
  readonly head: number | undefined;
  /** When both were compared, in Unix seconds. */
  readonly reconciled: number | undefined;
}

export interface ChainDeps {
  readonly records: Pick<RecordReader, "newest">;
  readonly serviceLog: ServiceLogStore;
  readonly sync: () => Promise<SyncState>;
  /** The newest steps of the event indexer, newest first. */
  readonly syncSteps: (limit: number) => readonly SyncStep[];
  /** The newest lines of the node's log, without secrets; missing when its location is unknown. */
  readonly nodeLog: (() => Promise<readonly string[]>) | undefined;
  readonly inspect: NodeInspector;
  /** Address of the relayer's key. */
  readonly relayer: string;
  /** Where a transaction can be looked at. */
  readonly explorerLink: (transactionHash: Uint8Array) => string;
  readonly clock: Clock;
}

/** Commands about the chain and its node. */
export function chainCommands(deps: ChainDeps): Record<"time" | "trxlog" | "synclog" | "gethlog" | "balance", Command> {
  return {
    async time({ texts }) {
      const { head } = await deps.sync();
      return textReply(texts.time(moment(deps.clock()), head));
    },

    async trxlog({ texts }) {
      const rows = await deps.records.newest(TRANSACTIONS);
      if (rows.length === 0) return textReply(texts.noTransactions);
      const lines = rows.map((row) =>
        texts.transaction(
          row.rowId.toString(),
          row.code,
          row.createdAt,
          row.sender,
          deps.explorerLink(row.transactionHash),
          row.overwrittenBy !== undefined,
        ),
      );
      return {
        messages: [textMessage([texts.transactions, ...lines].join("\n\n"), "transactions.txt", texts.transactions)],
      };
    },

    async synclog({ texts }) {
      const { copied, head, reconciled } = await deps.sync();
      const state = texts.sync(copied, head, reconciled === undefined ? undefined : moment(1000 * reconciled));
      const findings = await deps.serviceLog.newest(ALL_ACCOUNTS, SYNC_LINES);
      const log = [
        ...deps.syncSteps(SYNC_LINES).map((step) => ({ time: step.time, text: texts.syncStep(step) })),
        ...findings.map(({ time, level, message }) => ({ time, text: `${level} ${message}` })),
      ]
        .sort((a, b) => b.time - a.time)
        .slice(0, SYNC_LINES)
        .map(({ time, text }) => `${moment(time)} ${text}`);
      return {
        messages: [
          textMessage([state, "", ...(log.length === 0 ? [texts.syncNothing] : log)].join("\n"), "synclog.txt", state),
        ],
      };
    },

    async gethlog({ texts }) {
      if (deps.nodeLog === undefined) return textReply(texts.gethlogNone);
      const lines = await deps.nodeLog();
      return {
        messages: [
          lines.length === 0
            ? { kind: "text", text: texts.gethlogEmpty }
            : textMessage(lines.join("\n"), "node.log", texts.gethlogCaption),
        ],
      };
    },

    async balance({ texts }) {
      const { balance } = await deps.inspect();
      return textReply(texts.balance(deps.relayer, `${formatEther(balance)} (${balance} wei)`));
    },
  };
}
