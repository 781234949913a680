import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect } from "chai";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "..");

/** What every capability stands on. */
const FOUNDATION = ["journal", "chain", "http", "kit", "errors"];
/** The capabilities, each with those that it may use, through their `index.ts`. */
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  sessions: [],
  records: ["sessions"],
  proofs: ["issuer"],
  recovery: ["issuer", "proofs"],
  attestation: ["issuer", "proofs", "recovery"],
  explorer: ["records"],
  panel: ["sessions"],
  operations: ["sessions", "records", "proofs"],
  bot: ["sessions", "records"],
};
/** The rooms below the capabilities, each with those that it may use. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  kit: ["errors"],
  config: ["kit", "errors"],
  http: ["kit", "errors"],
  chain: ["kit", "errors"],
  journal: ["chain", "kit", "errors"],
  issuer: ["journal", "chain", "http", "kit", "errors"],
};
/** How a value of the configuration is written, where that is the matter of another room. */
const NOTATIONS = ["server/journal/replication/targets.ts"];
/** What browsers share with the bot, and the packages that it may use. */
const FOR_BROWSERS = /^air-quality\/(?:map\/)?(?!index\.)[a-z0-9-]+\.ts$/;
const BROWSER_PACKAGES = ["topojson-client", "topojson-specification", "geojson"];
/** Routes and the schemas of their responses, which the client and the panel share with the server. */
const API = /^server\/(?:[a-z-]+\/)+(?:api|responses)\.ts$/;
/** What they are made of. */
const API_PARTS = [
  "server/http/fields.ts",
  "server/http/route.ts",
  "server/http/record-store/call.ts",
  "server/kit/tree-size.ts",
];
/** What a `service.ts` must not import: files, sockets, clocks, databases. */
const OUTSIDE_WORLD =
  /^(?:node:(?:fs|net|http|https|tls|dgram|child_process|worker_threads|timers)|express|kysely|pg|undici|ws)\b/;

/** What a source file imports, as paths from the root of the project or names of packages. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), "utf8"), true, true);
  return importedFiles.map(({ fileName }) =>
    fileName.startsWith(".") ? relative(ROOT, join(ROOT, dirname(file), fileName)) : fileName,
  );
}

/** What of it is there when the program runs: imports of types are gone by then. */
function runtimeImportsOf(file: string): string[] {
  const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), "utf8"), {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  return ts
    .preProcessFile(outputText, true, true)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith(".") ? relative(ROOT, join(ROOT, dirname(file), fileName)) : fileName,
    );
}

const files = globSync("server/**/*.ts", { cwd: ROOT }).sort();
/** What makes a network of validators; it is no part of the server. */
const networkFiles = globSync("network/**/*.ts", { cwd: ROOT }).sort();
const airQualityFiles = globSync("air-quality/**/*.ts", { cwd: ROOT }).sort();
const imports = new Map([...files, ...networkFiles, ...airQualityFiles].map((file) => [file, importsOf(file)]));

/** The room of a file of the server: the folder at the top, or the file that stands there itself. */
function roomOf(file: string): string {
  return file.split("/")[1]?.replace(/\.ts$/, "") ?? "";
}

function offences(isForbidden: (from: string, to: string) => boolean): string[] {
  return files.flatMap((from) =>
    (imports.get(from) ?? []).filter((to) => isForbidden(from, to)).map((to) => `${from} -> ${to}`),
  );
}

/** Imports of our own files that are not among the known ones. */
function importsOutside(froms: readonly string[], known: readonly string[]): string[] {
  const isOurs = (to: string): boolean =>
    /^(?:server|network|air-quality|scripts|client|bench|test|typechain-types)\//.test(to);
  return froms.flatMap((from) =>
    (imports.get(from) ?? [])
      .filter((to) => isOurs(to) && !known.some((room) => to.startsWith(room)))
      .map((to) => `${from} -> ${to}`),
  );
}

describe("Architecture", () => {
  it("contains no file outside the known rooms", () => {
    const rooms = ["main", "composition", ...Object.keys(CAPABILITIES), ...Object.keys(BELOW)];
    expect(files.filter((file) => !rooms.includes(roomOf(file)))).to.deep.equal([]);
    expect(rooms.filter((room) => !files.some((file) => roomOf(file) === room))).to.deep.equal([]);
    expect(files.filter((file) => file.split("/").length === 2)).to.deep.equal(["server/errors.ts", "server/main.ts"]);
    expect(imports.get("server/main.ts")).to.include("server/composition/server.ts");
  });

  it("imports in one direction: main, composition, capabilities, journal, chain and http, kit", () => {
    const forbidden = offences((from, to) => {
      const room = roomOf(from);
      if (!to.startsWith("server/") || room === roomOf(to)) return false;
      if (room === "composition") return roomOf(to) === "main";
      if (room === "main") return !["composition", "config", "kit", "errors"].includes(roomOf(to));
      if (room === "config" && NOTATIONS.includes(to)) return false;
      const allowed = BELOW[room] ?? [...FOUNDATION, ...(CAPABILITIES[room] ?? [])];
      return !allowed.includes(roomOf(to));
    });
    expect(forbidden).to.deep.equal([]);
  });

  it("imports other capabilities only through their index", () => {
    const forbidden = offences((from, to) => {
      const isOther = to.startsWith("server/") && roomOf(to) in CAPABILITIES && roomOf(to) !== roomOf(from);
      return isOther && roomOf(from) in CAPABILITIES && to !== `server/${roomOf(to)}/index.ts`;
    });
    expect(forbidden).to.deep.equal([]);
  });

  it("keeps services free of files, sockets, clocks and databases", () => {
    const services = files.filter((file) => /\/(?:[a-z-]+-)?service\.ts$/.test(file));
    expect(services).to.include.members([
      "server/sessions/service.ts",
      "server/records/service.ts",
      "server/proofs/service.ts",
    ]);
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const to of runtimeImportsOf(file)) {
        if (OUTSIDE_WORLD.test(to)) expect.fail(`${file} -> ${to}`);
        if (to.startsWith("server/") && roomOf(to) === roomOf(file)) visit(to);
      }
    };
    for (const service of services) visit(service);
    expect(seen.size).to.be.greaterThan(services.length);
  });

  it("limits the panel's imports to the client, routes, air quality and maps", () => {
    const forbidden = globSync("panel/src/**/*.{ts,tsx}", { cwd: ROOT }).flatMap((from) =>
      importsOf(from)
        .filter(
          (to) =>
            /^(server|air-quality|network|scripts|test|bench)\//.test(to) && !FOR_BROWSERS.test(to) && !API.test(to),
        )
        .map((to) => `${from} -> ${to}`),
    );
    expect(forbidden).to.deep.equal([]);
  });

  it("limits the client's imports to routes; these load only zod and each other", () => {
    const shared = (file: string): boolean => file === "zod" || API.test(file) || API_PARTS.includes(file);
    const described = files.filter((file) => API.test(file) || API_PARTS.includes(file));
    expect(described).to.include.members(["server/http/responses.ts", "server/proofs/api.ts", ...API_PARTS]);
    const ofClient = globSync("client/**/*.ts", { cwd: ROOT }).flatMap((from) =>
      importsOf(from)
        .filter((to) => !to.startsWith("client/") && !shared(to))
        .map((to) => `${from} -> ${to}`),
    );
    const ofRoutes = described.flatMap((from) =>
      runtimeImportsOf(from)
        .filter((to) => !shared(to))
        .map((to) => `${from} -> ${to}`),
    );
    expect([...ofClient, ...ofRoutes]).to.deep.equal([]);
  });

  it("limits shared browser code to what browsers provide", () => {
    const shared = airQualityFiles.filter((file) => FOR_BROWSERS.test(file));
    expect(shared).to.include("air-quality/reading.ts");
    const forbidden = shared.flatMap((from) =>
      (imports.get(from) ?? []).filter((to) => !FOR_BROWSERS.test(to) && !BROWSER_PACKAGES.includes(to)),
    );
    expect(forbidden).to.deep.equal([]);
  });

  it("limits imports of the generated types to the chain folder", () => {
    expect(offences((from, to) => to.startsWith("typechain-types/") && roomOf(from) !== "chain")).to.deep.equal([]);
  });

  it("reads the environment in one place", () => {
    const readers = files.filter((file) => /process\.env[.[]/.test(readFileSync(join(ROOT, file), "utf8")));
    expect(readers.filter((file) => file !== "server/config/environment.ts")).to.deep.equal([]);
  });

  it("limits imports of the network program to block hashes and RPC calls, and what commands are made of", () => {
    const known = [
      "server/errors.ts",
      "server/chain/consensus/peers.ts",
      "server/chain/evidence/",
      "server/chain/node/",
      "server/chain/rpc/",
      "server/kit/",
      "scripts/commands/run-command.ts",
      "network/",
    ];
    expect(importsOutside(networkFiles, known)).to.deep.equal([]);
    expect(networkFiles).to.include("network/init.ts");
  });

  it("lets only the table of commands load the network program", () => {
    const users = globSync("{server,scripts,client,air-quality,bench}/**/*.ts", { cwd: ROOT }).filter((file) =>
      importsOf(file).some((to) => to.startsWith("network/")),
    );
    expect(users).to.deep.equal(["scripts/commands/table.ts"]);
  });

  it("limits imports of air quality to the kit; only the bot and the composition use it", () => {
    expect(importsOutside(airQualityFiles, ["server/kit/", "air-quality/"])).to.deep.equal([]);
    const others = (from: string): boolean => !["bot", "composition"].includes(roomOf(from));
    expect(offences((from, to) => to.startsWith("air-quality/") && others(from))).to.deep.equal([]);
  });

  it("has a server that imports no scripts", () => {
    expect(offences((_from, to) => to.startsWith("scripts/"))).to.deep.equal([]);
  });

  it("contains no import cycle", () => {
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
