import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { pythonProgram } from "../support/python.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Reads a Compose file as JSON, and refuses keys and values that are not in the specification. */
const READ_COMPOSE = `
import sys, compose_spec
compose = compose_spec.PyCompose.from_json(sys.argv[1])
for validate in compose.validate_networks, compose.validate_volumes, compose.validate_secrets:
    validate()
`;

describe("files of deployments", () => {
  it("build an image by the rules of hadolint", async () => {
    await run(pythonProgram("hadolint"), [join(ROOT, "Containerfile")]);
  });

  it("are a Compose file", async () => {
    const text = await readFile(join(ROOT, "deploy/compose.yaml"), "utf8");
    await run(pythonProgram("python"), ["-c", READ_COMPOSE, JSON.stringify(parse(text, { merge: true }))]);
  });

  it("are objects of Kubernetes", async () => {
    const files = ["network-policy", "service", "stateful-set"].map((name) => `deploy/kustomize/${name}.yaml`);
    await run(pythonProgram("kubernetes-validate"), ["--strict", ...files], { cwd: ROOT });
  });
});
