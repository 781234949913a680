import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as z from "zod";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Notice } from "../../components/notice.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { useTitle } from "../../components/title.ts";
import { goTo, replaceBy } from "../../route.ts";
import { kept } from "../../session/kept.ts";
import { texts } from "../../texts/texts.ts";
import { explorerClient } from "../explorer-client.ts";
import { addressOf } from "../route.ts";
import { ActionCard } from "../transaction/action-card.tsx";
import { Arguments } from "../transaction/arguments.tsx";

const HASH = /^0x[0-9a-f]{64}$/;
const HEX = /^0x(?:[0-9a-f]{2}){4,}$/;
const SELECTOR_LENGTH = 10;

const entered = kept("decode.input", z.string(), "");
/** What is decoded; empty before. */
const decoded = kept("decode.decoded", z.string(), "");

/** Decodes call data that were received elsewhere. Data in the address are decoded at once. */
export function DecodeView({ data }: { data: string }) {
  const { decode: words } = texts.value.explorer;
  useTitle(words.title);
  const error = useSignal<string | undefined>(undefined);
  const times = useSignal(0);
  const decode = (text: string): void => {
    const digits = text.replace(/\s+/g, "").toLowerCase();
    const input = digits.startsWith("0x") ? digits : `0x${digits}`;
    error.value = digits === "" ? words.missing : HEX.test(input) ? undefined : words.hex;
    if (HASH.test(input)) return goTo(addressOf("tx", input));
    decoded.value = error.value === undefined ? input : "";
    // The chain can have changed meanwhile.
    times.value += 1;
  };
  useEffect(() => {
    if (data === "") return;
    entered.value = data;
    // Otherwise a reload would show the data of the address again.
    replaceBy(addressOf("decode"));
    decode(data);
  }, [data]);
  return (
    <>
      <div class="heading">
        <div>
          <h1>{words.title}</h1>
          <p>{words.about}</p>
        </div>
      </div>
      <form
        class="card stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          decode(entered.value);
        }}
      >
        <Field label={words.input} hint={words.inputHint} error={error.value}>
          {(control) => (
            <textarea
              {...control}
              rows={3}
              spellcheck={false}
              autocapitalize="off"
              placeholder="0x…"
              value={entered.value}
              onInput={(event) => (entered.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <div>
          <Button free kind="main" type="submit">
            {words.button}
          </Button>
        </div>
      </form>
      {decoded.value === "" ? null : <Decoded key={`${times.value} ${decoded.value}`} input={decoded.value} />}
    </>
  );
}

function Decoded({ input }: { input: string }) {
  const { decode: words, transaction } = texts.value.explorer;
  const query = useQuery(() => explorerClient().decode(input), input);
  return (
    <QueryResult of={query}>
      {({ action, call, undecoded }) => (
        <>
          {undecoded !== undefined ? (
            <Notice kind="warning" title={transaction.undecoded}>
              {undecoded}
            </Notice>
          ) : call === undefined ? (
            <Notice kind="warning" title={words.other(input.slice(0, SELECTOR_LENGTH))} />
          ) : (
            <>
              <ActionCard action={action} />
              <section class="stack">
                <h2>{transaction.call(call.signature)}</h2>
                <Arguments of={call.arguments} caption={transaction.callArguments} />
              </section>
            </>
          )}
        </>
      )}
    </QueryResult>
  );
}
