import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect } from "chai";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "..");
/** How values of the configuration are written, where that takes more than a line. */
const NOTATIONS = ["server/replica/targets.ts", "server/http/access/network-list.ts"];
const ADAPTERS = ["http", "bot", "panel", "workers", "chain", "journal", "telemetry", "replica", "attestation", "pictures"];

/** What a source file imports, as paths from the root of the project or names of packages. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), "utf8"), true, true);
  return importedFiles.map(({ fileName }) =>
    fileName.startsWith(".") ? relative(ROOT, join(ROOT, dirname(file), fileName)) : fileName,
  );
}

const files = globSync("server/**/*.ts", { cwd: ROOT }).sort();
/** What makes a network of validators; it is no part of the server. */
const networkFiles = globSync("scripts/network/**/*.ts", { cwd: ROOT }).sort();
const imports = new Map([...files, ...networkFiles].map((file) => [file, importsOf(file)]));

/** The room a file is in: an adapter, `domain`, `errors`, `config`, or the composition above them. */
function roomOf(file: string): string {
  const [, first = ""] = file.split("/");
  if (first === "errors.ts") return "errors";
  return first.endsWith(".ts") ? "composition" : first;
}

/** Whether the panel may share a file of the server. */
function isForBrowsers(file: string): boolean {
  return file.startsWith("server/domain/air-quality/") || file.startsWith("server/domain/map/");
}

function offences(isForbidden: (from: string, to: string) => boolean): string[] {
  return files.flatMap((from) =>
    (imports.get(from) ?? []).filter((to) => isForbidden(from, to)).map((to) => `${from} -> ${to}`),
  );
}

describe("Architecture", () => {
  it("is looked at as a whole", () => {
    expect(files).to.include.members(["server/main.ts", "server/context.ts", "server/domain/ports.ts"]);
    expect(imports.get("server/main.ts")).to.include("server/context.ts");
  });

  it("lets adapters meet in the composition only", () => {
    const forbidden = offences((from, to) => {
      if (!to.startsWith("server/") || !ADAPTERS.includes(roomOf(from))) return false;
      return ![roomOf(from), "domain", "errors", "files"].includes(roomOf(to));
    });
    expect(forbidden).to.deep.equal([]);
  });

  it("keeps the domain free of adapters, I/O and the chain's library", () => {
    const forbidden = offences(
      (from, to) =>
        roomOf(from) === "domain" &&
        (to.startsWith("server/") ? !["domain", "errors"].includes(roomOf(to)) : !["hash-wasm", "keccak256", "merkletreejs", "node:crypto", "topojson-client", "topojson-specification", "geojson"].includes(to)),
    );
    expect(forbidden).to.deep.equal([]);
  });

  it("lets errors import nothing and configuration only errors and how its values are written", () => {
    const forbidden = offences(
      (from, to) =>
        (roomOf(from) === "errors" && to !== "") ||
        (roomOf(from) === "config" && to.startsWith("server/") && !["config", "errors"].includes(roomOf(to)) && !NOTATIONS.includes(to)),
    );
    expect(forbidden).to.deep.equal([]);
  });

  it("lets the panel know the server by its client only, and share what air and maps are", () => {
    const forbidden = globSync("panel/src/**/*.{ts,tsx}", { cwd: ROOT }).flatMap((from) =>
      importsOf(from).filter((to) => /^(server|scripts|test|bench)\//.test(to) && !isForBrowsers(to)).map((to) => `${from} -> ${to}`),
    );
    expect(forbidden).to.deep.equal([]);
  });

  it("keeps what browsers share free of everything that they do not have", () => {
    const shared = files.filter(isForBrowsers);
    expect(shared).to.include("server/domain/air-quality/reading.ts");
    const forbidden = shared.flatMap((from) =>
      (imports.get(from) ?? []).filter((to) => !isForBrowsers(to) && !["topojson-client", "topojson-specification", "geojson"].includes(to)),
    );
    expect(forbidden).to.deep.equal([]);
  });

  it("lets the chain folder alone import the generated types", () => {
    expect(offences((from, to) => to.startsWith("typechain-types/") && roomOf(from) !== "chain")).to.deep.equal([]);
  });

  it("reads the environment in one place", () => {
    const readers = files.filter((file) => /process\.env[.[]/.test(readFileSync(join(ROOT, file), "utf8")));
    expect(readers.filter((file) => file !== "server/config/environment.ts")).to.deep.equal([]);
  });

  it("lets a network's files know of the server only how blocks are hashed and nodes are asked", () => {
    const known = ["server/errors.ts", "server/chain/consensus/enode.ts", "server/chain/evidence/", "server/chain/rpc/", "scripts/network/"];
    const isOurs = (to: string): boolean => /^(?:server|scripts|client|bench|test|typechain-types)\//.test(to);
    const forbidden = networkFiles.flatMap((from) =>
      (imports.get(from) ?? []).filter((to) => isOurs(to) && !known.some((room) => to.startsWith(room))).map((to) => `${from} -> ${to}`),
    );
    expect(forbidden).to.deep.equal([]);
    expect(networkFiles).to.include("scripts/network/init.ts");
    expect(offences((_from, to) => to.startsWith("scripts/"))).to.deep.equal([]);
  });

  it("has no circle of imports", () => {
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) expect.fail([...path.slice(path.indexOf(file)), file].join(" -> "));
      if (done.has(file)) return;
      for (const next of imports.get(file) ?? []) if (imports.has(next)) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of imports.keys()) visit(file, []);
    expect(done.size).to.equal(imports.size);
  });
});
