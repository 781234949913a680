import { Button } from "../components/button.tsx";
import { Segments } from "../components/segments.tsx";
import { Icon } from "../components/icon.tsx";
import { texts } from "../texts/texts.ts";
import { list, search, searchInput } from "./record-list.ts";

/** Field and value of a search. */
export function SearchForm() {
  const { records: words } = texts.value;
  const submit = (event: Event) => {
    event.preventDefault();
    void search();
  };
  return (
    <form class="search-form" role="search" onSubmit={submit}>
      <Segments
        label={words.searchIn}
        of={[
          { value: "code", title: words.code },
          { value: "topic", title: words.topic },
        ]}
        value={searchInput.field.value}
        onChoose={(field) => (searchInput.field.value = field)}
      />
      <div class="search-box">
        <Icon name="search" />
        <input
          class="control"
          type="search"
          aria-label={words.searchFor}
          placeholder={words.searchHint}
          value={searchInput.value.value}
          onInput={(event) => (searchInput.value.value = event.currentTarget.value)}
        />
      </div>
      <Button type="submit" busy={list.isLoading.value}>
        {words.search}
      </Button>
    </form>
  );
}
