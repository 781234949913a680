import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { accessHeaders } from "../access/proof-access.ts";
import { Badge } from "../components/badge.tsx";
import { CodeBlock } from "../components/code-block.tsx";
import { JsonView } from "../components/json-view.tsx";
import { Segments } from "../components/segments.tsx";
import { Table } from "../components/table.tsx";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { callsOf, curlOf, type ExampleCall, pythonOf } from "./calls.ts";
import type { ApiDocument, Operation } from "./document.ts";
import { alternativesOf, type Field, fieldsOf, limitsOf, typeOf } from "./fields.ts";

/** An operation; its fields and examples are drawn when it is opened. */
export function OperationView({
  path,
  method,
  operation,
  document,
}: {
  path: string;
  method: string;
  operation: Operation;
  document: ApiDocument;
}) {
  const { operationId: id, summary } = operation;
  const isOpen = useSignal(false);
  useEffect(() => {
    const show = (): void => {
      if (location.hash !== `#${id}`) return;
      isOpen.value = true;
      // The browser has looked for it before the document was here.
      window.document.getElementById(id)?.scrollIntoView();
    };
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, []);
  return (
    <details
      class="card operation"
      id={id}
      open={isOpen.value}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>
        <Badge>{method.toUpperCase()}</Badge> <code>{path}</code>{" "}
        <span class="muted" lang="en">
          {summary}
        </span>
      </summary>
      {isOpen.value ? <Content path={path} method={method} operation={operation} document={document} /> : null}
    </details>
  );
}

function Content({ path, method, operation, document }: Parameters<typeof OperationView>[0]) {
  const { api: words } = texts.value;
  const { description, parameters, requestBody, responses } = operation;
  const body = requestBody.content["application/json"]?.schema;
  const given = parameters.map(({ name, in: place, required, schema, description: about }) => ({
    name,
    type: typeOf(schema, document),
    isRequired: required,
    about: `${words.places[place] ?? place}. ${about} ${limitsOf(schema)}`.trim(),
  }));
  const own = { token: session.current.value?.token, headers: accessHeaders() };
  return (
    <div class="stack">
      <p>
        <Marked text={description} />
      </p>
      {given.length === 0 ? null : <Fields title={words.parameters} fields={given} />}
      {body === undefined
        ? null
        : alternativesOf(body, document).map((each, index) => (
            <Fields key={index} title={words.body} fields={fieldsOf(each, document)} />
          ))}
      <Examples calls={callsOf(path, method, operation, own)} />
      <Table
        caption={words.responses}
        rows={Object.entries(responses)}
        keyOf={([status]) => status}
        columns={[
          { title: words.status, cell: ([status]) => <span class="number">{status}</span> },
          { title: words.meaning, cell: ([, response]) => <Marked text={response.description} /> },
        ]}
      />
    </div>
  );
}

/** A text with code between backticks. */
function Marked({ text }: { text: string }) {
  return (
    <span lang="en">
      {text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </span>
  );
}

function Fields({ title, fields }: { title: string; fields: readonly Field[] }) {
  const { api: words } = texts.value;
  return (
    <Table
      caption={title}
      rows={fields}
      keyOf={({ name }) => name}
      columns={[
        {
          title,
          cell: ({ name, isRequired }) => (
            <>
              <code>{name}</code> {isRequired ? <Badge kind="plain">{words.required}</Badge> : null}
            </>
          ),
        },
        { title: words.type, cell: ({ type }) => <code>{type}</code> },
        { title: words.meaning, cell: ({ about }) => <Marked text={about} /> },
      ]}
    />
  );
}

/** One of the recorded examples, as a call that the reader can copy, and its response. */
function Examples({ calls }: { calls: readonly ExampleCall[] }) {
  const { api: words } = texts.value;
  const chosen = useSignal(calls[0]?.name ?? "");
  const call = calls.find(({ name }) => name === chosen.value) ?? calls[0];
  if (call === undefined) return null;
  const { response, status, body } = call;
  const token = session.current.value?.token;
  return (
    <section class="stack" aria-label={words.examples}>
      <Segments
        label={words.examples}
        of={calls.map(({ name, summary }) => ({ value: name, title: summary }))}
        value={call.name}
        onChoose={(name) => (chosen.value = name)}
      />
      {token !== undefined && JSON.stringify(body ?? "").includes(token) ? (
        <p class="small muted">{words.token}</p>
      ) : null}
      <CodeBlock text={curlOf(call)} label="curl" />
      <CodeBlock text={pythonOf(call)} label="Python" />
      {response === undefined ? null : (
        <>
          <h3>{words.response(status ?? "")}</h3>
          {typeof response === "string" ? (
            <CodeBlock text={response} label={words.response(status ?? "")} />
          ) : (
            <JsonView value={response} label={words.response(status ?? "")} />
          )}
        </>
      )}
    </section>
  );
}
