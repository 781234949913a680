// Outlines on a grid of 24, drawn with the colour of the text beside them.
const PATHS = {
  home: "M4 11.5 12 5l8 6.5M6 10v9h4.5v-5h3v5H18v-9",
  records: "M5 6h14M5 12h14M5 18h9",
  map: "M9 5 4 7v12l5-2 6 2 5-2V5l-5 2zM9 5v12M15 7v12",
  decode: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  proofs: "M12 3.5 19 7v5c0 4.2-2.9 7.4-7 8.5-4.1-1.1-7-4.3-7-8.5V7zM9 12l2.2 2.2L15.3 10",
  explorer: "M12 3.5 19.5 8v8L12 20.5 4.5 16V8zM4.5 8l7.5 4.3L19.5 8M12 12.3v8.2",
  search: "M11 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12M15.5 15.5 20 20",
  copy: "M9 9h10v10H9zM15 9V5H5v10h4",
  check: "m5 12.5 4.5 4.5L19 7.5",
  close: "M6 6l12 12M18 6 6 18",
  link: "M13 5h6v6M19 5l-8 8M16 13v6H5V8h6",
  plus: "M12 5v14M5 12h14",
  sun:
    "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8M12 2.8v1.7M12 19.5v1.7M2.8 12h1.7M19.5 12h1.7M5.5 5.5l1.2 1.2M17.3 " +
    "17.3l1.2 1.2M5.5 18.5l1.2-1.2M17.3 6.7l1.2-1.2",
  moon: "M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7",
  leave: "M14 5H6v14h8M11 12h9M17 9l3 3-3 3",
  info: "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17M12 11v5M12 7.8v.2",
  warning: "M12 4.5 21 19.5H3zM12 10v4.5M12 17v.2",
  clock: "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17M12 7.5V12l3 2",
  download: "M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14",
  upload: "M12 15.5V4M7.5 8.5 12 4l4.5 4.5M5 20h14",
  play: "M8 5.5 18.5 12 8 18.5z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  next: "m10 6 6 6-6 6",
  previous: "m14 6-6 6 6 6",
} as const;

/** Names of the icons. */
export type IconName = keyof typeof PATHS;

/** A decorative icon, hidden from screen readers. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
