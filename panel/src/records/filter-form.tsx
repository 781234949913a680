import type { TargetedEvent } from "preact";
import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { addressOf, goTo, route } from "../route.ts";
import { texts } from "../texts/texts.ts";
import { FIELDS, filterOf, queryOf } from "./filter.ts";
import { refresh } from "./record-list.ts";

/** What is searched for; it is in the address. */
export function FilterForm() {
  const { records: words } = texts.value;
  const entered = useSignal(filterOf(route.value.search));
  return (
    <form
      class="columns no-print"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const query = queryOf(entered.value);
        // The same search again finds what is new.
        if (query === route.value.search) void refresh();
        else goTo(addressOf("records") + query);
      }}
    >
      {FIELDS.map((name) => (
        <Field
          key={name}
          label={words.filter[name]}
          hint={name === "code" || name === "topic" ? words.wildcard : undefined}
        >
          {(control) => {
            const input = {
              ...control,
              value: entered.value[name],
              onInput: (event: TargetedEvent<HTMLInputElement>) =>
                (entered.value = { ...entered.value, [name]: event.currentTarget.value }),
            };
            const isDate = name === "from" || name === "to";
            return isDate ? <input {...input} type="date" /> : <input {...input} type="search" spellcheck={false} />;
          }}
        </Field>
      ))}
      <div class="record-search">
        <Button type="submit" icon="search">
          {words.search}
        </Button>
      </div>
    </form>
  );
}
