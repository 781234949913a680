export const tabs = {
  home: "Home",
  records: "Records",
  map: "Map",
  decode: "Decode",
  proofs: "Proofs",
};
