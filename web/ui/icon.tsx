/** The icons: drawn for mom, strokes on a grid of 24. Decoration only; whoever uses one names it beside it. */
const shapes = {
  chat: "M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2Z",
  sessions:
    "M8 4h11a1 1 0 0 1 1 1v9M4 8h11a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1Zm2.5 4h6m-6 4h4",
  channels: "M12 12h.01M8.5 15.5a5 5 0 0 1 0-7m7 7a5 5 0 0 0 0-7M5.6 18.4a9 9 0 0 1 0-12.8m12.8 12.8a9 9 0 0 0 0-12.8",
  tools:
    "M14.5 6.5a4 4 0 0 1 5-3l-2.5 2.6.4 1.5 1.5.4 2.6-2.5a4 4 0 0 1-5.2 5L8 18.8a2 2 0 1 1-2.8-2.8l8.3-8.3a4 4 0 0 1 1-1.2Z",
  skills: "M12 4 3 8l9 4 9-4-9-4Zm-6 6v5c0 1.5 2.7 3 6 3s6-1.5 6-3v-5m3-2v6",
  models: "M7 7h10v10H7V7Zm3-4v4m4-4v4m-4 10v4m4-4v4M3 10h4m-4 4h4m10-4h4m-4 4h4",
  devices:
    "M3 6a1 1 0 0 1 1-1h13a1 1 0 0 1 1 1v3M3 6v8a1 1 0 0 0 1 1h8M8 19h4m0-4v4m3-7h5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-5a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z",
  config: "M4 7h9m4 0h3M4 17h3m4 0h9M15 5v4M9 15v4M4 12h5m4 0h7m-9-2v4",
  usage: "M4 20V4m0 16h16M8 16v-4m4 4V8m4 8v-6m4 6V6",
  logs: "M5 6h14M5 10h10M5 14h14M5 18h7",
  doctor: "M4 12h4l2-5 4 10 2-5h4",
  welcome: "m12 4 1.8 5.2L19 11l-5.2 1.8L12 18l-1.8-5.2L5 11l5.2-1.8L12 4Zm7 12v4m-2-2h4",
  clock: "M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  memory:
    "M12 5a3 3 0 0 0-5.8-1A3 3 0 0 0 4 9a3.5 3.5 0 0 0 0 6 3.5 3.5 0 0 0 4 5 3 3 0 0 0 4-1V5Zm0 0a3 3 0 0 1 5.8-1A3 3 0 0 1 20 9a3.5 3.5 0 0 1 0 6 3.5 3.5 0 0 1-4 5 3 3 0 0 1-4-1",
  menu: "M4 7h16M4 12h16M4 17h16",
  search: "m20 20-4.5-4.5M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0Z",
  close: "m6 6 12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  check: "m5 12.5 4.5 4.5L19 7.5",
  copy: "M9 9V5a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-4M5 9h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1Z",
  send: "M12 19V5m0 0-6 6m6-6 6 6",
  stop: "M8 7h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1Z",
  attach: "m20 11-8.2 8.2a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 4.8 4.8l-8.2 8.2a1.7 1.7 0 0 1-2.4-2.4L14.5 7.5",
  file: "M13 3H7a1 1 0 0 0-1 1v16a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V8l-5-5Zm0 0v5h5",
  image: "M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Zm-1 13 5-5 4 4 3-3 4 4M15 9h.01",
  down: "m6 9 6 6 6-6",
  up: "m6 15 6-6 6 6",
  right: "m9 6 6 6-6 6",
  left: "m15 6-6 6 6 6",
  jump: "M12 5v14m0 0-6-6m6 6 6-6",
  sun: "M12 3v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4m0-12.8L17 7M7 17l-1.4 1.4M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  auto: "M12 3a9 9 0 1 0 0 18V3Zm0 0a9 9 0 0 1 0 18",
  warning: "M12 9v4m0 4h.01M10.3 4 2.7 17.5A2 2 0 0 0 4.4 20.5h15.2a2 2 0 0 0 1.7-3L13.7 4a2 2 0 0 0-3.4 0Z",
  info: "M12 11v5m0-8h.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  shield: "M12 3 5 6v5c0 4.5 3 8 7 10 4-2 7-5.5 7-10V6l-7-3Zm-3 9 2 2 4-4",
  edit: "m4 20 .8-3.6L16 5.2a1.7 1.7 0 0 1 2.4 0l.4.4a1.7 1.7 0 0 1 0 2.4L7.6 19.2 4 20Z",
  trash: "M4 7h16M9 7V4h6v3m-9 0 1 13h10l1-13M10 11v5m4-5v5",
  refresh: "M20 5v5h-5M4 19v-5h5M5.5 9a7 7 0 0 1 12-2.5L20 10M4 14l2.5 3.5a7 7 0 0 0 12-2.5",
  download: "M12 4v11m0 0-4-4m4 4 4-4M5 20h14",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  terminal: "m6 8 4 4-4 4m6 0h6M4 4h16a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Z",
  folder: "M3 7a1 1 0 0 1 1-1h5l2 2h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V7Z",
  globe: "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0ZM3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3Z",
  key: "M14 10a4 4 0 1 1-3.5-4 4 4 0 0 1 3.5 4Zm-1 2 7 7m-3-3 2-2",
  user: "M15.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0ZM5 20c.5-4 3.5-6 7-6s6.5 2 7 6",
  play: "M7 5v14l12-7L7 5Z",
  filter: "M4 5h16l-6 7.5V19l-4-2v-4.5L4 5Z",
  more: "M12 6h.01M12 12h.01M12 18h.01",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}
