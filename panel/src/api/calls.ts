import * as z from "zod";
import type { Operation } from "./document.ts";

/** An example of a call: what is sent, and the response that was recorded. */
export interface ExampleCall {
  readonly name: string;
  readonly summary: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined` without a body. */
  readonly body: unknown;
  readonly status: string | undefined;
  readonly response: unknown;
}

/** The reader's own, in place of what was recorded. */
export interface Own {
  readonly token: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the recorded examples of an operation. */
export function callsOf(path: string, method: string, operation: Operation, own: Own): readonly ExampleCall[] {
  const { parameters, requestBody, responses } = operation;
  const bodies = new Map(examplesIn(requestBody.content));
  const answers = new Map(
    Object.entries(responses).flatMap(([status, { content }]) =>
      examplesIn(content).map(([name, example]) => [name, { ...example, status }] as const),
    ),
  );
  return [...new Set([...bodies.keys(), ...answers.keys()])].map((name) => {
    const body = bodies.get(name);
    const answer = answers.get(name);
    const query = new URLSearchParams();
    let target = path;
    for (const { in: place, name: parameter, examples } of parameters) {
      const value = new Map(Object.entries(examples)).get(name)?.value;
      if (place === "path") target = target.replace(`{${parameter}}`, encodeURIComponent(String(value ?? "")));
      else if (place === "query" && value !== undefined) query.set(parameter, String(value));
    }
    return {
      name,
      summary: (body ?? answer)?.summary ?? name,
      url: `${location.origin}${target}${query.size === 0 ? "" : `?${query}`}`,
      method: method.toUpperCase(),
      headers: {
        ...(body === undefined ? {} : { "Content-Type": body.type }),
        ...(answer === undefined || answer.type.endsWith("json") ? {} : { Accept: answer.type }),
        ...own.headers,
      },
      body: body === undefined ? undefined : withToken(body.value, own.token),
      status: answer?.status,
      response: answer?.value,
    };
  });
}

function examplesIn(content: Operation["requestBody"]["content"]) {
  return Object.entries(content).flatMap(([type, { examples }]) =>
    Object.entries(examples).map(([name, example]) => [name, { ...example, type }] as const),
  );
}

/** Calls of the data; those of the session would end that of the panel. */
const DataCall = z.looseObject({
  route: z.string().startsWith("/api/datastore/"),
  credentials: z.looseObject({ token: z.string() }),
});

/** Replaces the recorded token of a session. */
function withToken(body: unknown, token: string | undefined): unknown {
  const call = DataCall.safeParse(body).data;
  return call === undefined || token === undefined ? body : { ...call, credentials: { ...call.credentials, token } };
}

/** The call as a command of curl. */
export function curlOf({ url, method, headers, body }: ExampleCall): string {
  return [
    `curl -s ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(typeof body === "string" ? body : JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

/** The call in Python, with the library requests. */
export function pythonOf({ url, method, headers, body }: ExampleCall): string {
  const isText = typeof body === "string";
  const others = Object.entries(headers).filter(([name]) => isText || name !== "Content-Type");
  const given = [
    JSON.stringify(url),
    ...(others.length === 0 ? [] : [`headers=${pythonValue(Object.fromEntries(others))}`]),
    ...(body === undefined ? [] : [isText ? `data=${JSON.stringify(body)}.encode()` : `json=${pythonValue(body)}`]),
  ];
  const call = `requests.${method.toLowerCase()}(\n    ${given.join(",\n    ")},\n)`;
  return `import requests\n\nresponse = ${call}\nprint(response.status_code, response.text)\n`;
}

function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
