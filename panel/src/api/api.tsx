import { texts } from "../texts/texts.ts";
import { QueryResult } from "../components/query-result.tsx";
import { useQuery } from "../components/query.ts";
import { ClientError } from "../../../client/errors.ts";
import { ApiDocument } from "./document.ts";
import { TokenField } from "../home/token-field.tsx";
import { session } from "../session/session.ts";
import { OperationView } from "./operation.tsx";
import "./api.css";

/** The operations of both APIs, as the server's OpenAPI document describes them. */
export default function Api() {
  const { api: words } = texts.value;
  const query = useQuery(fetchDocument, "document");
  const token = session.current.value?.token;
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{words.title}</h1>
          <p>{words.about}</p>
        </div>
        <a class="button button-plain" href="/openapi.json" download="sealbook-openapi.json">
          {words.document}
        </a>
      </div>
      {token === undefined ? null : (
        <div class="card">
          <TokenField token={token} />
        </div>
      )}
      <QueryResult of={query}>
        {(document) =>
          document.tags.map(({ name, description }) => (
            <section class="stack" key={name}>
              <div lang="en">
                <h2>{name}</h2>
                <p class="muted">{description}</p>
              </div>
              {operationsOf(document, name).map((each) => (
                <OperationView key={each.operation.operationId} {...each} document={document} />
              ))}
            </section>
          ))
        }
      </QueryResult>
    </div>
  );
}

async function fetchDocument(): Promise<ApiDocument> {
  const response = await fetch("/openapi.json").catch((cause: unknown) => {
    throw new ClientError("unreachable", "the server does not respond", { cause });
  });
  const parsed = ApiDocument.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success)
    throw new ClientError("unexpected_response", "the document cannot be read", { status: response.status });
  return parsed.data;
}

function operationsOf({ paths }: ApiDocument, tag: string) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ path, method, operation }] : [],
    ),
  );
}
