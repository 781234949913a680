import { texts } from "../texts/texts.ts";

export default function Decode() {
  return <h1>{texts.value.tabs.decode}</h1>;
}
