import { assert } from "chai";
import { execFile } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer } from "node:tls";
import { promisify } from "node:util";
import type { Network } from "../../network/network-file.ts";
import { makeNetwork } from "../network/made-network.ts";
import { debianProgram } from "../support/debian-program.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";

const run = promisify(execFile);

describe("certificates and keys of a network, read by OpenSSL", () => {
  let temporary: string;
  let directory: string;
  let network: Network;
  before(async () => {
    temporary = await temporaryDirectory();
    directory = join(temporary, "network");
    ({ network } = await makeNetwork(temporary));
  });
  after(() => removeDirectory(temporary));

  const text = (path: string): Promise<string> => readFile(join(directory, path), "utf8");
  const openssl = (...args: string[]) => run(debianProgram("openssl", "openssl"), args, { cwd: directory });

  it("certify servers for their addresses, and clients as clients, by the network's authority", async () => {
    const verify = (purpose: string, path: string) =>
      openssl("verify", "-CAfile", "authority/ca.pem", "-purpose", purpose, path);
    for (const { name, address, dns } of network.hosts) {
      await verify("sslserver", `${name}/besu/tls/server.pem`);
      await verify("sslclient", `${name}/operator/client.pem`);
      const server = new X509Certificate(await text(`${name}/besu/tls/server.pem`));
      for (const ip of [address, "127.0.0.1"]) assert.isString(server.checkIP(ip));
      for (const host of [name, "localhost", ...dns]) assert.isString(server.checkHost(host));
      assert.isUndefined(server.checkHost("elsewhere"));
    }
    await verify("sslclient", "relayer/tls/client.pem");
    assert.isTrue(
      await verify("sslserver", "relayer/tls/client.pem").then(
        () => false,
        () => true,
      ),
      "a client's certificate is a server's",
    );
    const { ca } = new X509Certificate(await text("authority/ca.pem"));
    assert.isTrue(ca);
  });

  it("contain keys and authorities in Besu's format", async () => {
    for (const name of network.hosts.map((host) => host.name)) {
      const tls = `${name}/besu/tls`;
      const password = (await text(`${tls}/password`)).trim();
      createServer({ pfx: await readFile(join(directory, tls, "server.p12")), passphrase: password });
      const { stdout: key } = await openssl(
        "pkcs12",
        "-in",
        `${tls}/server.p12`,
        "-passin",
        `file:${tls}/password`,
        "-nodes",
      );
      assert.isTrue(new X509Certificate(await text(`${tls}/server.pem`)).checkPrivateKey(createPrivateKey(key)));
      assert.equal(key.match(/BEGIN CERTIFICATE/g)?.length, 2);
      const { stdout: trusted } = await openssl(
        "pkcs12",
        "-in",
        `${tls}/clients.p12`,
        "-passin",
        `file:${tls}/password`,
        "-nokeys",
      );
      assert.include(trusted.replaceAll(/\s/g, ""), (await text("authority/ca.pem")).replaceAll(/\s/g, ""));
      // The attribute by which Java recognises an authority.
      assert.include(trusted, "2.16.840.1.113894.746875.1.1");
    }
  });
});
