import { assert } from "chai";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { fetchChainId } from "../../server/chain/rpc/connect.ts";
import { NODE, type PeerTls, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import { SealbookError } from "../../server/errors.ts";
import { type Authority, type IssuedCertificate, makeAuthority } from "../support/certificates.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments } from "../support/exactly-once.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer } from "../support/server.ts";
import { startTlsProxy, type TlsProxy } from "../support/tls-proxy.ts";

describe("mutual TLS to the node", function () {
  let directory: string;
  let nodes: Authority;
  let otherAuthority: Authority;
  let node: IssuedCertificate;
  let renewed: IssuedCertificate;
  let client: IssuedCertificate;
  let chain: RemoteChain;
  let proxy: TlsProxy;
  before(async () => {
    directory = await temporaryDirectory();
    [nodes, otherAuthority] = [await makeAuthority(directory, "nodes"), await makeAuthority(directory, "others")];
    [node, renewed, client] = [await nodes.issue("node"), await nodes.issue("renewed"), await nodes.issue("relayer")];
    chain = await startRemoteChain(startRawNode);
    proxy = await startTlsProxy(Number(new URL(chain.url).port), node, nodes);
  });
  beforeEach(() => proxy.show(node));
  after(async () => {
    await proxy.close();
    await chain.close();
    await removeDirectory(directory);
  });

  const filesOf = ({ certificateFile, keyFile }: IssuedCertificate) => ({ certificate: certificateFile, key: keyFile });

  const request = (tls: Partial<PeerTls>, host = "127.0.0.1"): Promise<number> =>
    fetchChainId(
      `https://${host}:${proxy.port}`,
      peerTlsOptions({ client: filesOf(client), authority: nodes.certificateFile, ...tls }, NODE),
    );
  const refusal = async (tls: Partial<PeerTls>): Promise<string> => {
    const error = await request(tls).catch((reason: unknown) => reason);
    assert.instanceOf(error, SealbookError, String(error));
    assert.equal(error.code, "chain_unavailable");
    return error.message;
  };

  it("authenticates both sides with certificates", async () => {
    const chainId = await fetchChainId(chain.url);
    assert.equal(await request({}), chainId);
    assert.equal(await request({}, "localhost"), chainId);
  });

  // Security, node: the connection to the node: cannot impersonate a node without a certificate of its authority
  it("fails with the reason for a wrong node, or one that requires another certificate", async () => {
    assert.match(
      await refusal({ authority: otherAuthority.certificateFile }),
      /no TLS connection to the node \(RPC_TLS_CA_FILE, RPC_TLS_CERT_FILE\): .*certificate/,
    );
    assert.match(
      await refusal({ authority: undefined }),
      /no TLS connection to the node \(RPC_TLS_CA_FILE, RPC_TLS_CERT_FILE\): .*certificate/,
    );
    assert.match(await refusal({ client: undefined }), /\(RPC_TLS_CA_FILE, RPC_TLS_CERT_FILE\): .*certificate/);
    proxy.show(await nodes.issue("expired", -1));
    assert.match(await refusal({}), /certificate has expired/);
  });

  it("survives a change of the node's certificate", async () => {
    const variables: EnvironmentVariables = {
      ...chain.variables,
      RPC_URL: `https://127.0.0.1:${proxy.port}`,
      RPC_TLS_CERT_FILE: client.certificateFile,
      RPC_TLS_KEY_FILE: client.keyFile,
      RPC_TLS_CA_FILE: nodes.certificateFile,
      PROOF_WAIT: "60",
      DATABASE_URL: `file:${directory}/https.sqlite`,
      // The folder is that of the server before.
      NEW_JOURNAL: "yes",
    };
    const server = await startServer(variables, { directory: chain.directory });
    const accepted = freshDocuments(3);
    assert.equal((await server.post("/api/v1/proof/batch", { documents: accepted })).status, 201);
    proxy.show(renewed);
    accepted.push(...freshDocuments(1));
    assert.equal((await server.post("/api/v1/proof", accepted.at(-1))).status, 201);
    await assertExactlyOnce(server, chain.url, { accepted });
    proxy.show(await otherAuthority.issue("unknown"));
    await eventually(async () =>
      assert.isTrue(server.log.some((line) => line.includes("no TLS connection to the node"))),
    );
    await server.stop("keep");
  });

  it("that fails prevents the start of a server without a known chain, with the reason", async () => {
    const variables = {
      ...chain.variables,
      RPC_URL: `https://127.0.0.1:${proxy.port}`,
      RPC_TLS_CA_FILE: nodes.certificateFile,
    };
    const refused = await startServer(variables).catch((error: unknown) => error);
    assert.match(String(refused), /no connection to RPC_URL: no TLS connection to the node/);
  });

  it("with invalid files prevents the start of the server", async () => {
    const variables = {
      ...chain.variables,
      RPC_URL: `https://127.0.0.1:${proxy.port}`,
      RPC_TLS_CERT_FILE: client.certificateFile,
      // The folder is that of the server before.
      NEW_JOURNAL: "yes",
    };
    for (const [key, reason] of [
      [node.keyFile, /RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE: /],
      [`${directory}/nothing`, /RPC_TLS_KEY_FILE: ENOENT/],
    ] as const) {
      const refused = await startServer({ ...variables, RPC_TLS_KEY_FILE: key }, { directory: chain.directory }).catch(
        (error: unknown) => error,
      );
      assert.match(String(refused), reason, String(refused));
    }
  });
});
