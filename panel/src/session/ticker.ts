// Runs in a worker: browsers throttle the timers of hidden pages to more than a token's lifetime.
setInterval(() => postMessage(undefined), 1_000);
