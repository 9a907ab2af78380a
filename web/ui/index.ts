/** The parts that pages are made of. */
export { Badge, type Tone } from "./badge.tsx";
export { Button, IconButton } from "./button.tsx";
export { Card, Stat } from "./card.tsx";
export { Code, CopyButton, copyText } from "./code.tsx";
export { confirm } from "./confirm.tsx";
export { Dialog } from "./dialog.tsx";
export { Switch, TextArea, TextField } from "./field.tsx";
export {
  formatBytes,
  formatCost,
  formatDuration,
  formatMoment,
  formatTime,
  formatTokens,
  relativeTime,
} from "./format.ts";
export { Icon, type IconName } from "./icon.tsx";
export { Select } from "./select.tsx";
export { Spinner } from "./spinner.tsx";
export { Await, EmptyState, ErrorNote, Note } from "./states.tsx";
export { type Column, Table } from "./table.tsx";
export { Tabs } from "./tabs.tsx";
export { announce, toast } from "./toast.tsx";
export { When } from "./when.tsx";
