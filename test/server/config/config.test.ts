import { assert } from "chai";
import { parseConfig } from "../../../server/config/config.ts";
import type { EnvironmentVariables } from "../../../server/config/environment.ts";
import { SealbookError } from "../../../server/errors.ts";

const KEY = "5e".repeat(32);
const NO_TLS = { client: undefined, authority: undefined };
const OTHER_KEY = "7a".repeat(32);

/** The refusal of what may not be configured. */
function refusal(variables: EnvironmentVariables): SealbookError {
  try {
    parseConfig(variables);
  } catch (error) {
    assert.instanceOf(error, SealbookError);
    assert.equal(error.code, "config_invalid");
    return error;
  }
  return assert.fail(`accepted: ${JSON.stringify(variables)}`);
}

describe("configuration", function () {
  const wholeNumbers = ["", " ", "x", "-1", "1.5", "1e3", "0x10", "NaN", "Infinity", "9".repeat(30), " 8", "8 ", "8\n"];
  const bad: Readonly<Partial<Record<keyof EnvironmentVariables, readonly string[]>>> = {
    HOST: [""],
    PORT: [...wholeNumbers, "65536"],
    DATA_DIR: [""],
    RPC_URL: [
      "",
      "x",
      "localhost:8545",
      "ftp://host",
      "http://",
      "//host",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "ws://host",
      "wss://host",
      "ipc:///path",
      "unix:///x",
    ],
    CHAIN_PORT: [...wholeNumbers, "65536"],
    CHAIN_BLOCK_PERIOD: [...wholeNumbers, "61"],
    DATABASE_URL: [
      "",
      "x",
      "file:",
      "mysql://host/db",
      "/path",
      "postgres:",
      "postgres://",
      "postgres://host",
      "postgres://host/",
      "postgres:///db",
      "postgres://host:port/db",
      "postgres://user:100%@host/db",
      "postgres://host/db/x",
      "http://host/db",
    ],
    RELAYER_KEY: [
      "",
      "x",
      "0x",
      KEY.slice(2),
      `${KEY}00`,
      `0x${"g".repeat(64)}`,
      ` ${KEY}`,
      "0".repeat(64),
      "f".repeat(64),
    ],
    ADMIN_KEY: ["", "x", "0x", KEY.slice(2), `${KEY}00`, `0x${"g".repeat(64)}`, "0".repeat(64)],
    GAS_PRICE: wholeNumbers,
    SESSION_LIFETIME: [...wholeNumbers, "0", "86401"],
    CHAIN_WAIT: [...wholeNumbers, "0", "601"],
    PROOF_WAIT: [...wholeNumbers, "0", "601"],
    REPLICA_TARGETS: ["x", "/path", "file:path", "https://host/x", "s3:///x", "file:///a,file:///a", "file:///a?x=1"],
    TABLE_NAME: ["", "x".repeat(65)],
    STORE_RATE: [...wholeNumbers, "0"],
    QUERY_RATE: [...wholeNumbers, "0"],
    ALLOWED_HOSTS: ["", " ", "a,", "host:8080", "http://host", "*.host", "fd00::1", "a b"],
    ALLOWED_ORIGINS: [
      "*",
      "https://*.example",
      "app.example",
      "https://app.example/",
      "https://app.example:443",
      "null",
    ],
    TELEGRAM_TOKEN: [
      "",
      "x",
      "123456",
      "123456:short",
      `123456:${"x".repeat(29)}`,
      `12:${"x".repeat(35)}`,
      `123456:${"x".repeat(34)}/`,
      ` 123456:${"x".repeat(35)}`,
    ],
    TELEGRAM_API_URL: ["", "x", "ftp://host"],
    TELEGRAM_SENSOR_NETWORKS: ["x", "10.0.0.0/33"],
    NODE_LOG_FILE: [""],
    VALIDATOR_NAMES: ["x", "0x12=a", `0x${"1".repeat(40)}`, `0x${"1".repeat(40)}=`, `=a`, `0x${"1".repeat(40)}=a,b`],
    ISSUER_NAME: ["", " ", "a\nb", "x".repeat(201)],
    EXPLORER_URL: ["x", "ftp://host", "javascript:alert(1)"],
    TILE_URL: [
      "",
      "x",
      "ftp://host/{z}/{x}/{y}",
      "https://host/{z}/{x}.png",
      "https://user:pw@host/{z}/{x}/{y}",
      "https://a;b/{z}/{x}/{y}",
      "https://{q}.host/{z}/{x}/{y}",
      'https://host/{z}/{x}/{y} "',
      "javascript:alert('{z}{x}{y}')",
    ],
    TILE_ATTRIBUTION: ["", " ", "a\nb", "x".repeat(201)],
    JWT_KEY: ["", "https://", "https://user:pw@host/jwks.json"],
    LOG_LEVEL: ["", "x", "INFO", "verbose"],
  };

  for (const [name, values] of Object.entries(bad)) {
    it(`rejects every invalid ${name} and names it`, () => {
      for (const value of values) {
        const error = refusal({ ...(name === "RPC_URL" ? { RELAYER_KEY: KEY } : {}), [name]: value });
        assert.include(error.message, name, `for ${JSON.stringify(value)}`);
        assert.include(
          (error.details ?? []).map(({ path }) => path),
          name,
        );
        for (const { message } of error.details ?? []) assert.isNotEmpty(message);
      }
    });
  }

  it("requires the key of a certificate", () => {
    const signer = { RELAYER_SIGNER_URL: "https://signer.example", RELAYER_ADDRESS: `0x${"1".repeat(40)}` };
    for (const [prefix, rpc] of [
      ["TLS", {}],
      ["RPC_TLS", { RPC_URL: "https://node.example", RELAYER_KEY: KEY }],
      ["RPC_TLS", signer],
    ] as const) {
      assert.include(
        refusal({ ...rpc, [`${prefix}_CERT_FILE`]: "/x.pem" }).message,
        `${prefix}_KEY_FILE is needed with ${prefix}_CERT_FILE`,
      );
      assert.include(
        refusal({ ...rpc, [`${prefix}_KEY_FILE`]: "/x.key" }).message,
        `${prefix}_CERT_FILE is needed with ${prefix}_KEY_FILE`,
      );
    }
  });

  it("accepts TLS settings of node and signer only with an address that uses TLS", () => {
    assert.include(
      refusal({ RPC_URL: "http://node.example", RELAYER_KEY: KEY, RPC_TLS_CA_FILE: "/ca.pem" }).message,
      "RPC_TLS_CA_FILE is for a node or signer whose RPC_URL",
    );
    for (const url of ["http://signer.example", undefined]) {
      const signer =
        url === undefined ? { RELAYER_KEY: KEY } : { RELAYER_SIGNER_URL: url, RELAYER_ADDRESS: `0x${"1".repeat(40)}` };
      assert.include(
        refusal({ ...signer, RPC_TLS_CA_FILE: "/ca.pem" }).message,
        "RPC_TLS_CA_FILE is for a node or signer whose RPC_URL or RELAYER_SIGNER_URL",
      );
    }
  });

  it("accepts the relayer's key from one source only, with all its settings", () => {
    const keystore = { RELAYER_KEYSTORE_FILE: "/k.json", RELAYER_KEYSTORE_PASSWORD_FILE: "/k.password" };
    const signer = { RELAYER_SIGNER_URL: "http://signer.example/", RELAYER_ADDRESS: `0x${"ab".repeat(20)}` };
    const url = { RPC_URL: "http://node.example" };
    assert.deepEqual(parseConfig({ ...url, ...keystore }).chain.relayer, {
      kind: "keystore",
      file: "/k.json",
      passwordFile: "/k.password",
    });
    assert.deepInclude(parseConfig({ ...url, ...signer }).chain.relayer, {
      kind: "signer",
      url: "http://signer.example",
    });
    assert.include(refusal(url).message, "RELAYER_KEY is needed with RPC_URL");
    assert.include(
      refusal({ RELAYER_KEY: KEY, ...keystore }).message,
      "RELAYER_KEYSTORE_FILE is set beside RELAYER_KEY; one of them",
    );
    assert.include(
      refusal({ ...signer, ...keystore }).message,
      "RELAYER_SIGNER_URL is set beside RELAYER_KEYSTORE_FILE",
    );
    for (const [name, other] of [
      ["RELAYER_KEYSTORE_FILE", "RELAYER_KEYSTORE_PASSWORD_FILE"],
      ["RELAYER_SIGNER_URL", "RELAYER_ADDRESS"],
    ] as const) {
      const values: EnvironmentVariables = { ...keystore, ...signer };
      assert.include(refusal({ [name]: values[name] }).message, `${other} is needed with ${name}`);
      assert.include(refusal({ [other]: values[other] }).message, `${name} is needed with ${other}`);
    }
    assert.include(refusal({ ...signer, RELAYER_ADDRESS: "0x12" }).message, "RELAYER_ADDRESS");
  });

  it("requires the attribution of tiles", () => {
    const template = "https://{s}.tiles.example:8443/v1/{z}/{x}/{y}.png?key=1";
    const { map } = parseConfig({ TILE_URL: template, TILE_ATTRIBUTION: "© Tiles" });
    assert.deepEqual(map.tiles, { template, attribution: "© Tiles" });
    assert.isUndefined(parseConfig({}).map.tiles);
  });

  it("names all faults at once", () => {
    const { details } = refusal({ PORT: "x", LOG_LEVEL: "loud", GAS_PRICE: "-1" });
    assert.sameMembers(
      (details ?? []).map(({ path }) => path),
      ["PORT", "LOG_LEVEL", "GAS_PRICE"],
    );
  });

  it("reveals no secret", () => {
    for (const name of ["RELAYER_KEY", "ADMIN_KEY"] as const) {
      for (const secret of [`${KEY}11`, KEY.slice(1), `${KEY.slice(0, 60)}zz`]) {
        const error = refusal({ [name]: secret });
        assert.notInclude(error.message, secret);
        assert.notInclude(JSON.stringify(error.details), secret.slice(0, 16));
        assert.notInclude(String(error.stack), secret.slice(0, 16));
      }
    }
    assert.notInclude(refusal({ TELEGRAM_TOKEN: `123456:${KEY}/` }).message, KEY.slice(0, 16));
    for (const url of [
      "mysql://user:secret@host/db",
      "postgres://user:secret@host:x/db",
      "postgres://user:secret%@host/db",
    ]) {
      const error = refusal({ DATABASE_URL: url });
      for (const text of [error.message, JSON.stringify(error.details), String(error.stack)])
        assert.notInclude(text, "secret");
    }
  });

  it("rejects contradictions", () => {
    const remote = { RPC_URL: "http://127.0.0.1:1", RELAYER_KEY: KEY };
    const contradictions: readonly (readonly [variables: EnvironmentVariables, named: string])[] = [
      [{ RPC_URL: "http://127.0.0.1:1" }, "RELAYER_KEY"],
      [{ ...remote, CHAIN_PORT: "1" }, "CHAIN_PORT"],
      [{ ...remote, CHAIN_BLOCK_PERIOD: "1" }, "CHAIN_BLOCK_PERIOD"],
      [{ RELAYER_KEY: KEY, ADMIN_KEY: KEY }, "ADMIN_KEY"],
      [{ RELAYER_KEY: KEY, ADMIN_KEY: `0x${KEY.toUpperCase()}` }, "ADMIN_KEY"],
      [{ API_AUTH: "jwt", JWT_ISSUER: "https://login.example" }, "JWT_KEY"],
      [{ API_AUTH: "jwt", JWT_KEY: "/key.pem" }, "JWT_ISSUER"],
      [{ FEE_MODE: "eip1559", GAS_PRICE: "1" }, "GAS_PRICE"],
      [{ TILE_URL: "https://tiles.example/{z}/{x}/{y}.png" }, "TILE_ATTRIBUTION"],
      [{ TILE_ATTRIBUTION: "Tiles" }, "TILE_URL"],
      [{ REPLICA_TARGETS: `s3://key:${KEY}@bucket/x` }, "REPLICA_TARGETS"],
    ];
    for (const [variables, named] of contradictions) {
      const { message } = refusal(variables);
      assert.include(message, named);
      assert.notInclude(message, KEY);
    }
  });

  it("has complete defaults", () => {
    const config = parseConfig({});
    assert.equal(config.chain.node.kind, "embedded");
    assert.equal(config.http.host, "127.0.0.1");
    assert.deepEqual(config.chain.fees, { mode: "auto", gasPrice: undefined, maxFee: 200_000_000_000n });
    assert.equal(config.proofs.proofWaitMilliseconds, 30_000);
    assert.equal(config.logLevel, "info");
    assert.isUndefined(config.chain.sessionRules);
    assert.deepEqual(config.journal.replicaTargets, []);
  });

  it("accepts http and https addresses of nodes, and names these in the error for others", () => {
    const addresses = ["http://a", "https://user:pw@a:1/key"];
    for (const url of addresses) {
      assert.deepEqual(parseConfig({ RPC_URL: url, RELAYER_KEY: KEY }).chain.node, {
        kind: "remote",
        urls: [url],
        tls: NO_TLS,
      });
    }
    assert.deepEqual(parseConfig({ RPC_URL: "https://a/, http://b", RELAYER_KEY: KEY }).chain.node, {
      kind: "remote",
      urls: ["https://a", "http://b"],
      tls: NO_TLS,
    });
    assert.include(
      refusal({ RPC_URL: "http://a,http://u:secret@", RELAYER_KEY: KEY }).message,
      "RPC_URL has an item, number 2, that is not an http",
    );
    assert.include(
      refusal({ RPC_URL: "http://a,http://a/", RELAYER_KEY: KEY }).message,
      "RPC_URL has an address twice",
    );
    const { message } = refusal({ RPC_URL: "ftp://user:secret@host", RELAYER_KEY: KEY });
    assert.include(message, "is not an http or https address");
    assert.notInclude(message, "secret");
  });

  it("accepts valid values", () => {
    const config = parseConfig({
      RPC_URL: "https://node.example/rpc/",
      RELAYER_KEY: KEY,
      ADMIN_KEY: `0x${OTHER_KEY}`,
      FEE_MODE: "legacy",
      GAS_PRICE: "1000",
      MAX_FEE: "5000",
      SESSION_LIFETIME: "10",
      PORT: "0",
      VALIDATOR_NAMES: `0x${"aB".repeat(20)} = Data centre 1 , 0x${"cd".repeat(20)}=two,`,
      EXPLORER_URL: "https://explorer.example/",
      DATABASE_URL: "file:/tmp/x.sqlite",
      REPLICA_TARGETS: "file:///mnt/a,s3://bucket/b",
      RPC_TLS_CERT_FILE: "/c.pem",
      RPC_TLS_KEY_FILE: "/c.key",
      RPC_TLS_CA_FILE: "/ca.pem",
    });
    assert.deepEqual(config.chain.node, {
      kind: "remote",
      urls: ["https://node.example/rpc"],
      tls: {
        client: { certificate: "/c.pem", key: "/c.key" },
        authority: "/ca.pem",
      },
    });
    assert.deepEqual(config.chain.relayer, { kind: "environment", key: `0x${KEY}` });
    assert.equal(config.chain.administratorKey, `0x${OTHER_KEY}`);
    assert.deepEqual(config.chain.fees, { mode: "legacy", gasPrice: 1000n, maxFee: 5000n });
    assert.deepEqual(
      [...config.chain.validatorNames],
      [
        [`0x${"ab".repeat(20)}`, "Data centre 1"],
        [`0x${"cd".repeat(20)}`, "two"],
      ],
    );
    assert.equal(config.explorer.url, "https://explorer.example");
    assert.deepEqual(config.database, { kind: "sqlite", file: "/tmp/x.sqlite" });
    assert.deepEqual(
      config.journal.replicaTargets.map(({ name }) => name),
      ["file:///mnt/a", "s3://bucket/b"],
    );
    assert.deepEqual(config.chain.sessionRules, { lifetime: 10, minimumToExtend: 2 });
    assert.deepEqual(parseConfig({ SESSION_LIFETIME: "3600" }).chain.sessionRules, {
      lifetime: 3600,
      minimumToExtend: 15,
    });
  });

  it("accepts all kinds of PostgreSQL addresses unchanged", () => {
    for (const url of [
      "postgres://user:secret@host/db",
      "postgresql://host:5433/db",
      "postgres://host/db?sslmode=verify-full",
      "postgres:///db?host=/run/postgresql&user=u",
      "postgres://user:100%25@[::1]/db",
    ]) {
      assert.deepEqual(parseConfig({ DATABASE_URL: url }).database, { kind: "postgres", url });
    }
  });
});
