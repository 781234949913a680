import { toVerdict } from "../records/index.ts";
import type { DecodedLog } from "./call.ts";
import type {
  Activity,
  BlockSummary,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  OnChainState,
  Page,
} from "./explored.ts";
import type * as responses from "./responses.ts";

export function toChainResponse({ chainId, firstBlock, contracts, head }: ExploredChain): responses.ExploredChain {
  return { chain_id: chainId, first_block: firstBlock, contracts, head: toBlockSummary(head) };
}

export function toBlockSummary({ number, hash, time, proposer, transactions }: BlockSummary): responses.BlockSummary {
  return { number, hash, timestamp: time, proposer, transaction_count: transactions };
}

export function toBlockList({ items, next }: Page<BlockSummary>): responses.BlockList {
  return { blocks: items.map(toBlockSummary), next };
}

export function toBlockResponse(block: ExploredBlock): responses.ExploredBlock {
  const { parentHash, gasUsed, gasLimit, size, commitSeals, page } = block;
  return {
    ...toBlockSummary(block),
    parent_hash: parentHash,
    gas_used: gasUsed,
    gas_limit: gasLimit,
    size,
    commit_seals: commitSeals,
    transactions: page.items.map(({ to, succeeded, ...transaction }) => ({
      ...transaction,
      to: to ?? null,
      status: succeeded ? "succeeded" : "reverted",
    })),
    next: page.next,
  };
}

export function toTransactionResponse(transaction: ExploredTransaction): responses.ExploredTransaction {
  const { hash, from, to, nonce, value, gasPrice, gasLimit, input, call, undecoded, mined } = transaction;
  return {
    hash,
    status: mined === undefined ? "pending" : mined.succeeded ? "succeeded" : "reverted",
    reason: mined?.reason,
    block: mined && toBlockSummary(mined.block),
    index: mined?.index,
    confirmations: mined?.confirmations,
    from,
    to: to ?? null,
    nonce,
    value: value.toString(),
    gas_price: gasPrice.toString(),
    gas_limit: gasLimit,
    gas_used: mined?.gasUsed,
    input,
    action: toAction(transaction),
    call,
    undecoded,
    deployed: mined?.deployed,
    logs: mined?.logs.map(toLog) ?? [],
  };
}

function toAction({ action, onChain }: ExploredTransaction): responses.Action {
  switch (action.kind) {
    case "anchor":
      return { ...action, first: toFirstAnchor(onChain) };
    case "record": {
      const { table, rowId, compressed, signature, signer = null, content } = action;
      const on_chain = onChain?.kind === "row" ? onChain.state : "missing";
      const common = {
        kind: action.kind,
        table,
        row_id: rowId,
        overwrites: action.function === "set",
        compressed,
        signature,
        signer,
        on_chain,
        record: toVerdict(onChain?.kind === "row" ? onChain.verdict : undefined),
      };
      if ("fault" in content) return { ...common, fault: content.fault };
      const { row } = content;
      return {
        ...common,
        row: {
          row_id: row.rowId,
          sender: row.sender,
          code: row.code,
          created_at: row.createdAt,
          payload: row.payload,
          topic: row.topic,
          format: row.format,
        },
      };
    }
    case "session":
      return {
        kind: action.kind,
        step: action.step,
        account: action.account,
        token_hash: action.tokenHash,
        new_token_hash: action.newTokenHash,
      };
    default:
      return { kind: action.kind };
  }
}

function toFirstAnchor(onChain: OnChainState | undefined) {
  if (onChain?.kind !== "anchor" || onChain.first === undefined) return null;
  const { blockNumber, time, size } = onChain.first;
  return { block_number: blockNumber, timestamp: time, size };
}

function toLog({ index, address, topics, data, event }: DecodedLog): responses.DecodedLog {
  return { index, address, topics: [...topics], data, event };
}

export function toAnchorResponse({ hash, size, block, transactionHash }: ExploredAnchor): responses.ExploredAnchor {
  return { hash, size, tx_hash: transactionHash, block: toBlockSummary(block) };
}

export function toAnchorList({ items, next }: Page<ExploredAnchor>): responses.AnchorList {
  return { anchors: items.map(toAnchorResponse), next };
}

export function toAddressResponse(explored: ExploredAddress): responses.ExploredAddress {
  const { hasCode, balance, ...same } = explored;
  return { ...same, has_code: hasCode, balance: balance.toString() };
}

export function toActivityResponse({ items, next }: Page<Activity>): responses.AddressActivity {
  return {
    activity: items.map(({ transactionHash, block, contract, event }) => ({
      tx_hash: transactionHash,
      block: toBlockSummary(block),
      address: contract,
      event,
    })),
    next,
  };
}
