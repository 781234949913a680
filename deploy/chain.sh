#!/bin/sh
# Starts the trial chain of compose.yaml.
set -eu
# Anvil adds a block 0 to its state at each start, and continues with any of them. The oldest is the chain's own.
node -e '
const fs = require("fs");
const state = "/data/state.json";
if (fs.existsSync(state)) {
  const { blocks, ...rest } = JSON.parse(fs.readFileSync(state));
  const isFirst = ({ header }) => Number(header.number) === 0;
  const time = ({ header }) => Number(header.timestamp);
  const [oldest] = blocks.filter(isFirst).sort((a, b) => time(a) - time(b));
  const kept = blocks.filter((block) => block === oldest || !isFirst(block));
  fs.writeFileSync(state + ".new", JSON.stringify({ ...rest, blocks: kept }));
  fs.renameSync(state + ".new", state);
}'
# Anvil itself: the script of its package ends before Anvil has written its state.
exec /opt/sealbook/node_modules/@foundry-rs/anvil-linux-*/bin/anvil --host 0.0.0.0 --chain-id 7326 --accounts 1 \
  --block-time 5 --base-fee 0 --gas-price 0 --state /data/state.json
