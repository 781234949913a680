import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { assert } from "chai";
import ts from "typescript";
import { parse } from "yaml";
import { Environment } from "../server/config/environment.ts";
import { ALERT_KINDS } from "../server/operations/alert.ts";
import { live, ready } from "../server/operations/api.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Packages that a file needs to load. Dynamic imports and imports of types do not count. */
function packagesOf(file: string): string[] {
  const { statements } = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier: from } = statement;
    const isErased = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    if (
      from === undefined ||
      !ts.isStringLiteral(from) ||
      isErased ||
      from.text.startsWith(".") ||
      isBuiltin(from.text)
    )
      return [];
    return [/^(?:@[^/]+\/)?[^/]+/.exec(from.text)?.[0] ?? from.text];
  });
}

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly stop_grace_period: string;
  readonly deploy: { readonly resources: { readonly limits: object } };
  readonly environment?: Readonly<Record<string, string>>;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface Container {
  readonly image: string;
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

const UNIT = read("deploy/sealbook.service");
const CONTAINERFILE = read("Containerfile");
const compose = parse(read("deploy/compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const own = Object.values(compose.services).filter(({ image }) => image.startsWith("sealbook"));
const kustomization = parse(read("deploy/kustomize/kustomization.yaml")) as {
  readonly images: readonly [{ readonly name: string; readonly newTag: string }];
  readonly configMapGenerator: readonly [{ readonly literals: readonly string[] }];
};
const { spec: pod } = (
  parse(read("deploy/kustomize/stateful-set.yaml")) as {
    readonly spec: {
      readonly template: {
        readonly spec: { readonly securityContext: object; readonly containers: readonly [Container] };
      };
    };
  }
).spec.template;
const [container] = pod.containers;

describe("deployment", function () {
  // SBOM and licences of the package are those of the dependencies.
  it("has everything that the package contains among its dependencies", () => {
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    const rooms = "account,commands,decode,deploy,journal,proofs,recover,relayer";
    const files = globSync(
      [
        "{server,client,network,air-quality}/**/*.ts",
        "scripts/sealbook.ts",
        `scripts/{${rooms}}/**/*.ts`,
        "panel/src/**/*.{ts,tsx}",
      ],
      // Only `npx hardhat run` loads it.
      { cwd: ROOT, exclude: ["scripts/deploy/hardhat-connection.ts"] },
    );
    assert.includeMembers(files, ["scripts/deploy/command.ts", "server/main.ts"]);
    const needed = new Map(files.flatMap((file) => packagesOf(file).map((name) => [name, file] as const)));
    assert.includeMembers([...needed.keys()], ["ethers", "express", "preact", "@peculiar/x509"]);
    assert.deepEqual(
      [...needed].filter(([name]) => dependencies[name] === undefined),
      [],
    );
  });

  it("starts the installed program everywhere, from one image", () => {
    const program = "/opt/sealbook/node_modules/.bin";
    assert.include(UNIT, `\nExecStart=${program}/sealbook start\n`);
    // Its first line has Node found on the path.
    for (const text of [UNIT, CONTAINERFILE]) assert.include(text, `PATH=${program}:/usr/local/bin:/usr/bin:/bin `);
    assert.include(CONTAINERFILE, '\nCMD ["sealbook", "start"]\n');
    for (const name of ["relayer-1", "relayer-2"]) assert.notProperty(compose.services[name], "command");
    assert.doesNotHaveAnyKeys(container, ["command", "args"]);
    const [{ name, newTag }] = kustomization.images;
    const image = `${name}:${newTag}`;
    assert.deepEqual([...new Set(own.map((service) => service.image))], [image]);
    assert.equal(container.image, name);
    assert.equal(newTag, (JSON.parse(read("package.json")) as { version: string }).version);
    assert.include(CONTAINERFILE, ` -t ${image} .\n`);
  });

  // Security, programs: in a container they have no rights of root, and write to its volumes only
  it("has containers that run without root, and write to their volumes only", () => {
    const [, user = ""] = /^USER (\d+):\1$/m.exec(CONTAINERFILE) ?? [];
    assert.isAbove(Number(user), 0);
    assert.include(CONTAINERFILE, `useradd --uid ${user} `);
    assert.deepEqual(pod.securityContext, {
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(user),
      fsGroup: Number(user),
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    });
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    for (const [name, service] of Object.entries(compose.services)) {
      const { read_only, cap_drop, security_opt, deploy, stop_grace_period } = service;
      assert.deepEqual([read_only, cap_drop, security_opt], [true, ["ALL"], ["no-new-privileges:true"]], name);
      assert.hasAllKeys(deploy.resources.limits, ["cpus", "memory", "pids"], name);
      assert.equal(stop_grace_period, "60s", name);
    }
    assert.match(compose.services["postgres"]?.user ?? "", /^[1-9]\d*:/);
  });

  it("probes addresses that the server has", () => {
    for (const { httpGet } of [container.startupProbe, container.livenessProbe]) assert.equal(httpGet.path, live.path);
    assert.equal(container.readinessProbe.httpGet.path, ready.path);
    assert.include(/^HEALTHCHECK .*$/m.exec(CONTAINERFILE)?.[0], live.path);
  });

  it("names settings that the server has, and waits for the operator's secrets", () => {
    const inFiles = [...UNIT.matchAll(/^Environment=(.*)$/gm), ...CONTAINERFILE.matchAll(/^ENV (.*)$/gm)];
    const assigned = [...inFiles.map(([, text = ""]) => text), ...kustomization.configMapGenerator[0].literals];
    const names = [
      ...assigned.flatMap((text) => [...text.matchAll(/([A-Z_]+)=/g)].map(([, name = ""]) => name)),
      ...own.flatMap(({ environment = {} }) => Object.keys(environment)),
    ];
    assert.includeMembers(names, ["DATA_DIR", "HOST", "ALLOWED_HOSTS", "RELAYER_KEY", "JOURNAL_KEY_FILE"]);
    const known = [...Object.keys(Environment.shape), "PATH", "NODE_ENV"];
    assert.deepEqual(
      names.filter((name) => !known.includes(name)),
      [],
    );

    const given = Object.values(compose.services).flatMap(({ environment = {} }) => Object.entries(environment));
    for (const [name, value] of given.filter(([each]) => /KEY$|PASSWORD|URL$/.test(each)))
      assert.match(value, /\$\{[A-Z_0-9]+:[?-]\}/, name);
    assert.notProperty(kustomization, "secretGenerator");
    // All that the file waits for, without values.
    const template = [...read("deploy/example.env").matchAll(/^([A-Z_0-9]+)=(.*)$/gm)];
    const [profiles, ...variables] = template.map(([, name, value]) => `${name}=${value}`);
    assert.equal(profiles, "COMPOSE_PROFILES=deploy");
    const wanted = [...read("deploy/compose.yaml").matchAll(/\$\{([A-Z_0-9]+)/g)].map(([, name]) => `${name}=`);
    assert.sameMembers(variables, [...new Set(wanted)]);
  });

  it("has a manual with the meaning and remedy of every alert", () => {
    const [, alerts = ""] = read("docs/operate.md").split("\n## Alerts\n");
    const rules = [...read("deploy/prometheus/alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
    assert.isAbove(rules.length, 10);
    for (const name of [...ALERT_KINDS, ...rules])
      assert.match(alerts, new RegExp(`^\\| .*\`${name}\`.* \\| .+ \\| .+ \\|$`, "m"));
  });
});
