import type { ComponentChildren } from "preact";
import { texts } from "../texts/texts.ts";
import { CopyButton } from "./copy-button.tsx";
import { prettyJson } from "./pretty-json.ts";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b/g;

const WIDTH = 64;
const NARROW_WIDTH = 24;
const narrow = matchMedia("(max-width: 46rem)");

/** JSON, indented, with names and values in different styles. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = prettyJson(value, narrow.matches ? NARROW_WIDTH : WIDTH);
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        {coloured(text)}
      </pre>
      <CopyButton text={text} label={`${texts.value.common.copy}: ${label}`} />
    </div>
  );
}

function coloured(text: string): ComponentChildren[] {
  const pieces: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: token, 1: string, 2: colon = "", index } of text.matchAll(TOKEN)) {
    pieces.push(text.slice(end, index));
    pieces.push(
      <span class={string === undefined ? "json-value" : colon === "" ? "json-text" : "json-name"}>
        {string ?? token}
      </span>,
      colon,
    );
    end = index + token.length;
  }
  pieces.push(text.slice(end));
  return pieces;
}
