/** A session's transcript as a tree: the present path as a trunk, what was left folded where it left it. */
import { useMemo, useState } from "preact/hooks";
import type { Result } from "../../../src/gateway/protocol/index.ts";
import { noModel } from "../../chat/timeline.ts";
import type { Loaded } from "../../connection.ts";
import { Await, Badge, Button, Card, EmptyState, Icon, type IconName, Note, Switch, When } from "../../ui/index.ts";
import {
  buildTree,
  type EntryKind,
  kindOf,
  nameKind,
  type TreeChain,
  type TreeNode,
  withoutRecords,
} from "./build-tree.ts";

interface TranscriptProps {
  history: Loaded<Result<"sessions.history">>;
  hasMore: boolean;
  onMore(): void;
}

const icons: Record<EntryKind, IconName> = {
  user: "user",
  assistant: "chat",
  tool: "tools",
  summary: "sessions",
  note: "info",
  record: "more",
};

export function Transcript({ history, hasMore, onMore }: TranscriptProps) {
  const [showsAll, setShowsAll] = useState(false);
  return (
    <Card title="Transcript" actions={<Switch label="Show bookkeeping" isOn={showsAll} onChange={setShowsAll} />}>
      <Await of={history}>
        {(data) =>
          data.entries.length === 0 ? (
            <EmptyState icon="chat" title="Nothing was said yet" />
          ) : (
            <div class="stack">
              {hasMore && (
                <Note>
                  The beginning is not shown.{" "}
                  <Button size="small" isBusy={history.isLoading} onClick={onMore}>
                    Load it
                  </Button>
                </Note>
              )}
              <TreeView history={data} showsAll={showsAll} />
            </div>
          )
        }
      </Await>
    </Card>
  );
}

function TreeView({ history, showsAll }: { history: Result<"sessions.history">; showsAll: boolean }) {
  const { entries, leaf } = history;
  const { trunk, others } = useMemo(() => {
    const tree = buildTree(entries, leaf);
    if (showsAll) return tree;
    return {
      trunk: withoutRecords(tree.trunk),
      others: tree.others.map(withoutRecords).filter(({ size }) => size > 0),
    };
  }, [entries, leaf, showsAll]);
  const end = trunk.nodes.findLast(({ isPresent }) => isPresent);
  return (
    <div class="tree">
      {others.map((other) => (
        <Branch key={other.nodes[0]?.entry.id} chain={other} name="Another beginning" />
      ))}
      <Chain chain={trunk} end={end} />
    </div>
  );
}

function Chain({ chain, end }: { chain: TreeChain; end?: TreeNode | undefined }) {
  return (
    <ol class="tree-chain">
      {chain.nodes.map((node) => (
        <li key={node.entry.id} class={`tree-entry tree-${kindOf(node.entry)} ${node.isPresent ? "is-present" : ""}`}>
          <Entry node={node} isEnd={node === end} />
          {node.branches.map((branch) => (
            <Branch key={branch.nodes[0]?.entry.id} chain={branch} name="A branch that was left" />
          ))}
        </li>
      ))}
    </ol>
  );
}

function Entry({ node: { entry }, isEnd }: { node: TreeNode; isEnd: boolean }) {
  return (
    <div class="tree-row">
      <span class="tree-icon">
        <Icon name={icons[kindOf(entry)]} size={16} />
      </span>
      <div class="tree-text">
        <div class="tree-meta">
          <strong>{nameKind(entry)}</strong>
          {entry.model !== undefined && entry.model !== noModel && <span>{entry.model}</span>}
          <When at={entry.at} />
          {isEnd && <Badge tone="accent">now</Badge>}
        </div>
        {entry.preview !== "" && <div class="tree-preview">{entry.preview}</div>}
      </div>
    </div>
  );
}

/** What is folded is not drawn: there may be thousands of entries in it. */
function Branch({ chain, name }: { chain: TreeChain; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const opening = chain.nodes.find(({ entry }) => entry.preview !== "")?.entry.preview;
  return (
    <details class="tree-branch" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="tree-branch-name">
          {name}, {chain.size} {chain.size === 1 ? "entry" : "entries"}
        </span>
        {!isOpen && opening !== undefined && <span class="tree-branch-opening">{opening}</span>}
      </summary>
      {isOpen && <Chain chain={chain} />}
    </details>
  );
}
