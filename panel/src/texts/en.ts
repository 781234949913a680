export const en = {
  common: {
    copy: "Copy",
    copied: "Copied",
    close: "Close",
    loading: "Loading…",
    reload: "Reload",
    notLoaded: "This part could not be loaded.",
    notLoadedHelp: "The server may be restarting, or was updated. Reload the page to go on.",
    language: "Language",
    switchTheme: "Switch between light and dark",
    skip: "Skip to the content",
    sections: "Sections",
    explorer: "Explorer",
  },

  tabs: {
    home: "Home",
    records: "Records",
    map: "Map",
    decode: "Decode",
    proofs: "Proofs",
  },

  home: {},

  records: {},

  map: {},

  decode: {},

  proofs: {},

  explorer: {},
};
