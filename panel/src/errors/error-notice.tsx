import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { explain } from "./explain.ts";

/** Shows an error and its remedy. */
export function ErrorNotice({ error, kind = "bad" }: { error: unknown; kind?: "bad" | "warning" }) {
  const { title, help, details } = explain(error, texts.value);
  return (
    <Notice kind={kind} title={title}>
      <p>{help}</p>
      {details.length === 0 ? null : (
        <ul>
          {details.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
