import { chooseLanguage, LANGUAGES, language, texts } from "./texts.ts";

/** Chooses the language. */
export function LanguageChoice() {
  return (
    <select
      class="choice"
      aria-label={texts.value.common.language}
      value={language.value.split("-")[0] ?? ""}
      onChange={(event) => void chooseLanguage(event.currentTarget.value)}
    >
      {[...LANGUAGES].map(([tag, { name }]) => (
        <option key={tag} value={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}
