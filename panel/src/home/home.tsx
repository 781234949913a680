import { texts } from "../texts/texts.ts";

export default function Home() {
  return <h1>{texts.value.tabs.home}</h1>;
}
