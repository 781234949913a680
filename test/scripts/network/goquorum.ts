/**
 * The options that the generator may use. Sources: `cmd/utils/flags.go` and `cmd/geth/main.go` of Consensys/quorum, and
 * the start lines of GoQuorum's documentation and quickstart.
 */
export const OPTIONS = new Set([
  "datadir",
  "gcmode",
  "http",
  "http.addr",
  "http.api",
  "http.port",
  "identity",
  "maxpeers",
  "metrics",
  "mine",
  "miner.gaslimit",
  "miner.gasprice",
  "miner.gastarget",
  "miner.recommit",
  "miner.threads",
  "nat",
  "networkid",
  "nodekey",
  "nodiscover",
  "permissioned",
  "port",
  "pprof",
  "pprof.addr",
  "pprof.port",
  "syncmode",
]);

/** What `params/config.go` of Consensys/quorum reads of a genesis file's `config`, and of the rules of QBFT. */
export const GENESIS_CONFIG = [
  "chainId",
  "homesteadBlock",
  "eip150Block",
  "eip155Block",
  "eip158Block",
  "byzantiumBlock",
  "constantinopleBlock",
  "petersburgBlock",
  "istanbulBlock",
  "berlinBlock",
  "qbft",
  "isQuorum",
  "txnSizeLimit",
  "maxCodeSizeConfig",
];
export const QBFT_RULES = [
  "blockperiodseconds",
  "ceil2Nby3Block",
  "emptyblockperiodseconds",
  "epochlength",
  "policy",
  "requesttimeoutseconds",
];
