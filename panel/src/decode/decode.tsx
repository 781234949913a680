import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Empty } from "../components/empty.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Hash } from "../explorer/hash.tsx";
import { addressOf, replaceBy, route } from "../route.ts";
import { type Texts, texts } from "../texts/texts.ts";
import { decode, decodeState } from "./decode-state.ts";
import { DecodedView } from "./decoded-view.tsx";
import type { InputError } from "./decoding.ts";
import "./decode.css";

/** Decodes a stored transaction. Decodes data in the address immediately. */
export default function Decode() {
  const { input, decodedInput, decoded, anchoredBy, inputError, failure, isWorking } = decodeState;
  const words = texts.value.decode;
  const [rest = ""] = route.value.parts;
  useEffect(() => {
    const isLoadedAgain = decoded.value === undefined && input.value !== "" && input.value === decodedInput.value;
    if (rest === "" && !isLoadedAgain) return;
    if (rest !== "") input.value = rest;
    void decode();
  }, [rest]);
  const edit = (text: string) => {
    input.value = text;
    // Otherwise a reload would show the transaction of the address again.
    if (rest !== "") replaceBy(addressOf("decode"));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void decode();
  };
  const isNew =
    decoded.value === undefined && anchoredBy.value === undefined && failure.value === undefined && !isWorking.value;
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{words.title}</h1>
          <p>{words.lead}</p>
        </div>
      </div>
      <form class="card stack" noValidate onSubmit={submit}>
        <Field
          label={words.input}
          hint={words.inputHint}
          error={inputError.value === undefined ? undefined : inputErrorText(inputError.value, words)}
        >
          {(control) => (
            <textarea
              {...control}
              rows={3}
              spellcheck={false}
              autocapitalize="off"
              placeholder="0x…"
              value={input.value}
              onInput={(event) => edit(event.currentTarget.value)}
            />
          )}
        </Field>
        <div>
          <Button kind="main" type="submit" busy={isWorking.value}>
            {words.submit}
          </Button>
        </div>
      </form>
      {isWorking.value ? <Progress>{words.working}</Progress> : null}
      {failure.value === undefined ? null : <ErrorNotice error={failure.value} />}
      {decoded.value === undefined ? null : <DecodedView decoded={decoded.value} />}
      {anchoredBy.value === undefined ? null : (
        <Notice title={words.anchors}>
          <Hash whole value={anchoredBy.value} href={`/explorer/tx/${anchoredBy.value}`} />
        </Notice>
      )}
      {isNew ? (
        <Empty icon="decode" title={words.emptyTitle}>
          <p>{words.emptyHelp}</p>
        </Empty>
      ) : null}
    </div>
  );
}

function inputErrorText(error: InputError, { errors }: Texts["decode"]): string {
  return error.kind === "selector" ? errors.selector(error.selector) : errors[error.kind];
}
