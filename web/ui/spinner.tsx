/** Something is on its way. With a label it is read out; without one it is decoration. */
export function Spinner({ label, size = 20 }: { label?: string; size?: number }) {
  return (
    <span class="spinner-row" role={label === undefined ? undefined : "status"}>
      <svg class="spinner" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
        <circle cx="12" cy="12" r="9" />
        <path d="M21 12a9 9 0 0 0-9-9" />
      </svg>
      {label !== undefined && <span class="muted">{label}</span>}
    </span>
  );
}
