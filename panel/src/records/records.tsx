import { texts } from "../texts/texts.ts";

export default function Records() {
  return <h1>{texts.value.tabs.records}</h1>;
}
