import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { explain } from "./explain.ts";

/** Says what went wrong and what to do. */
export function ErrorNotice({ error }: { error: unknown }) {
  const { title, help, details } = explain(error, texts.value);
  return (
    <Notice kind="bad" title={title}>
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
