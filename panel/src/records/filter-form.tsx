import type { TargetedEvent } from "preact";
import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { addressOf, goTo, route } from "../route.ts";
import { texts } from "../texts/texts.ts";
import { faultOf, FIELDS, filterOf, queryOf } from "./filter.ts";
import { refresh } from "./record-list.ts";

/** What is searched for; it is in the address. */
export function FilterForm() {
  const { records: words } = texts.value;
  const given = filterOf(route.value.search);
  const fault = faultOf(given);
  // What a field cannot show is not searched for again.
  const entered = useSignal(fault === "date" ? { ...given, from: "", to: "" } : given);
  return (
    <form
      class="columns no-print"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const query = queryOf(entered.value);
        // The same search again finds what is new.
        if (query !== route.value.search) goTo(addressOf("records") + query);
        else if (fault === undefined) void refresh();
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
            return isDate ? (
              <input {...input} type="date" max="9999-12-31" />
            ) : (
              <input {...input} type="search" spellcheck={false} />
            );
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
