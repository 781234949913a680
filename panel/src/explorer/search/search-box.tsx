import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { texts } from "../../texts/texts.ts";
import { goTo } from "../../route.ts";
import { addressOf, VERIFY } from "../route.ts";

/** A hash has 64 digits, and an address 40. */
function isCallData(text: string): boolean {
  return /^0x(?:[0-9a-f]{2}){36,}$/i.test(text);
}

/** Searches for anything with a hash, a number or an address; a pasted bundle is verified. */
export function SearchBox({ text = "", large = false }: { text?: string; large?: boolean }) {
  const { search } = texts.value.explorer;
  const entered = useSignal(text);
  const id = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    const entry = entered.value.trim();
    if (entry === "") return;
    if (/^(?:\{|eyJ)/.test(entry)) {
      // When it cannot be loaded, its page says so.
      import("../../verify/verify-page.tsx").then(
        ({ verifyText }) => verifyText(entry),
        () => undefined,
      );
      goTo(VERIFY);
    } else {
      goTo(addressOf(isCallData(entry) ? "decode" : "search", entry));
    }
  };
  return (
    <form class={large ? "search search-large" : "search"} role="search" onSubmit={submit}>
      <label class="visually-hidden" for={id}>
        {search.label}
      </label>
      <input
        id={id}
        class="control"
        type="search"
        placeholder={search.placeholder}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={entered.value}
        onInput={(event) => (entered.value = event.currentTarget.value)}
      />
      <Button kind="main" type="submit" icon="search">
        {search.button}
      </Button>
    </form>
  );
}
