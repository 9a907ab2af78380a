/** A file in a conversation: a picture is shown, everything else can be fetched. */
import { useEffect, useState } from "preact/hooks";
import { formatBytes, Icon } from "../ui/index.ts";
import { downloadFile, type FileRef, isPicture, loadPicture } from "./open-file.ts";

interface FileProps {
  filename: string;
  mimeType?: string | undefined;
  size?: number | undefined;
  /** Undefined: it is still on its way. */
  source: FileRef | undefined;
}

export function FileView({ filename, mimeType, size, source }: FileProps) {
  const isImage = isPicture(filename, mimeType);
  const [isBroken, setBroken] = useState(false);
  const picture = usePicture(isImage ? source : undefined);
  const label = size === undefined ? filename : `${filename}, ${formatBytes(size)}`;
  const isShown = isImage && picture !== undefined && picture !== "failed" && !isBroken;
  return (
    <li>
      <button
        type="button"
        class={isShown ? "file file-picture" : "file"}
        disabled={source === undefined}
        onClick={() => source && downloadFile(source, filename)}
        title={`Download ${label}`}
      >
        {isShown ? (
          <img src={picture} alt={filename} onError={() => setBroken(true)} />
        ) : (
          <>
            <Icon name={isImage ? "image" : "file"} size={18} />
            <span class="truncate">{filename}</span>
            {size !== undefined && <span class="muted small">{formatBytes(size)}</span>}
          </>
        )}
      </button>
    </li>
  );
}

function usePicture(source: FileRef | undefined): string | "failed" | undefined {
  const [address, setAddress] = useState<string | undefined>(undefined);
  const key = source && JSON.stringify(source);
  useEffect(() => {
    if (key === undefined) return;
    let isWanted = true;
    // It was made from one just above.
    loadPicture(JSON.parse(key) as FileRef).then(
      (loaded) => isWanted && setAddress(loaded),
      () => isWanted && setAddress("failed"),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  return address;
}
