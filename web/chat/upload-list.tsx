/** Files that will go with the message, with how far they are. */
import { formatBytes, Icon, IconButton } from "../ui/index.ts";
import type { Upload, Uploads } from "./uploads.ts";

export function UploadList({ uploads }: { uploads: Uploads }) {
  const list = uploads.list.value;
  if (list.length === 0) return null;
  return (
    <ul class="uploads" aria-label="Files to send">
      {list.map((upload) => (
        <UploadChip key={upload.id} upload={upload} onRemove={() => uploads.remove(upload.id)} />
      ))}
    </ul>
  );
}

function UploadChip({ upload: { name, size, preview, state }, onRemove }: { upload: Upload; onRemove(): void }) {
  return (
    <li class={`upload upload-${state.type}`}>
      {preview === undefined ? <Icon name="file" size={18} /> : <img src={preview} alt="" />}
      <span class="upload-text">
        <span class="truncate">{name}</span>
        <span class="small muted">
          {state.type === "failed" ? state.error : state.type === "done" ? formatBytes(size) : null}
          {state.type === "uploading" && <progress max={1} value={state.part} aria-label={`Sending ${name}`} />}
        </span>
      </span>
      <IconButton icon="close" size="small" label={`Remove ${name}`} onClick={onRemove} />
    </li>
  );
}
