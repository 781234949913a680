import type { z } from "zod";
import type { DecodedLog } from "./call.ts";
import type {
  Activity,
  BlockSummary,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  Held,
  Page,
} from "./explored.ts";
import type * as answers from "./answers.ts";

export function representChain({
  chainId,
  firstBlock,
  contracts,
  head,
}: ExploredChain): z.input<typeof answers.ChainAnswer> {
  return { chain_id: chainId, first_block: firstBlock, contracts, head: representSummary(head) };
}

export function representSummary({
  number,
  hash,
  time,
  proposer,
  transactions,
}: BlockSummary): z.input<typeof answers.BlockSummary> {
  return { number, hash, timestamp: time, proposer, transaction_count: transactions };
}

export function representBlocks({ items, next }: Page<BlockSummary>): z.input<typeof answers.BlockList> {
  return { blocks: items.map(representSummary), next };
}

export function representBlock(block: ExploredBlock): z.input<typeof answers.BlockAnswer> {
  const { parentHash, gasUsed, gasLimit, size, commitSeals, page } = block;
  return {
    ...representSummary(block),
    parent_hash: parentHash,
    gas_used: gasUsed,
    gas_limit: gasLimit,
    size,
    commit_seals: commitSeals && {
      ...commitSeals,
      validators: [...commitSeals.validators],
      signers: [...commitSeals.signers],
    },
    transactions: page.items.map(({ to, succeeded, ...transaction }) => ({
      ...transaction,
      to: to ?? null,
      status: succeeded ? "succeeded" : "reverted",
    })),
    next: page.next,
  };
}

export function representTransaction(transaction: ExploredTransaction): z.input<typeof answers.TransactionAnswer> {
  const { hash, from, to, nonce, value, gasPrice, gasLimit, input, call, mined } = transaction;
  return {
    hash,
    status: mined === undefined ? "pending" : mined.succeeded ? "succeeded" : "reverted",
    reason: mined?.reason,
    block: mined && representSummary(mined.block),
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
    action: representAction(transaction),
    call: call && { ...call, arguments: [...call.arguments] },
    deployed: mined?.deployed,
    logs: mined?.logs.map(representLog) ?? [],
  };
}

function representAction({ action, held }: ExploredTransaction): z.input<typeof answers.TransactionAnswer>["action"] {
  switch (action.kind) {
    case "anchor":
      return { ...action, first: representFirst(held) };
    case "record": {
      const { table, rowId, compressed, signature, signer = null, content } = action;
      const on_chain = held?.kind === "row" ? held.state : "missing";
      const common = {
        kind: action.kind,
        table,
        row_id: rowId,
        overwrites: action.function === "set",
        compressed,
        signature,
        signer,
        on_chain,
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

function representFirst(held: Held | undefined) {
  if (held?.kind !== "anchor" || held.first === undefined) return null;
  const { blockNumber, time, size } = held.first;
  return { block_number: blockNumber, timestamp: time, size };
}

function representLog({
  index,
  address,
  topics,
  data,
  event,
}: DecodedLog): z.input<typeof answers.TransactionAnswer>["logs"][number] {
  return { index, address, topics: [...topics], data, event: event && { ...event, arguments: [...event.arguments] } };
}

export function representAnchor({
  hash,
  size,
  block,
  transactionHash,
}: ExploredAnchor): z.input<typeof answers.AnchorAnswer> {
  return { hash, size, tx_hash: transactionHash, block: representSummary(block) };
}

export function representAnchors({ items, next }: Page<ExploredAnchor>): z.input<typeof answers.AnchorList> {
  return { anchors: items.map(representAnchor), next };
}

export function representAddress(explored: ExploredAddress): z.input<typeof answers.AddressAnswer> {
  const { hasCode, balance, relays, administers, ...same } = explored;
  return {
    ...same,
    relays: [...relays],
    administers: [...administers],
    has_code: hasCode,
    balance: balance.toString(),
  };
}

export function representActivity({ items, next }: Page<Activity>): z.input<typeof answers.ActivityAnswer> {
  return {
    activity: items.map(({ transactionHash, block, contract, event }) => ({
      tx_hash: transactionHash,
      block: representSummary(block),
      address: contract,
      event: event && { ...event, arguments: [...event.arguments] },
    })),
    next,
  };
}
