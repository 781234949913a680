export const tabs = {
  home: "Home",
  records: "Records",
  map: "Map",
  proofs: "Proofs",
};
