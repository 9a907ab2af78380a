/** A list of the config form: simple values on a line each, others folded; added, moved, removed. */
import { Button, IconButton } from "../../ui/index.ts";
import { withMovedItem, withoutItem } from "./change-set.ts";
import type { ContainerProps } from "./container-views.tsx";
import { describeField, startingValue } from "./field.ts";
import { isEdited, WaysBack } from "./field-row.tsx";
import { Fold } from "./fold.tsx";
import type { FieldProps } from "./form.ts";
import { isObject } from "./json-schema.ts";
import { formatPath, valueAt } from "./path.ts";
import { titleOf } from "./show-value.ts";

/** Entries in an order. Where nothing is set, those of the default are shown and an edit begins with them. */
export function ListView({ form, path, label, field, actions, draw, isRequired }: ContainerProps<"list">) {
  const value = valueAt(form.draft, path);
  const items: readonly unknown[] = Array.isArray(value)
    ? value
    : Array.isArray(field.schema.default)
      ? field.schema.default
      : [];
  const inner = describeField(field.shape.items, form.root);
  const isSimple = !["section", "union", "record", "list"].includes(inner.shape.type);
  const set = (next: readonly unknown[]) => form.set(path, next);
  const add = () => {
    set([...items, startingValue(field.shape.items, form.root)]);
    form.toggle([...path, String(items.length)], true);
  };
  const itemActions = (i: number) => (
    <ItemActions
      form={form}
      at={i}
      count={items.length}
      label={`${label} ${i + 1}`}
      onMove={(to) => set(withMovedItem(items, i, to))}
      onRemove={() => set(withoutItem(items, i))}
    />
  );
  const isShown = (i: number) => form.matches?.isShown(formatPath([...path, String(i)])) ?? true;
  const isChanged = isEdited(form, path);
  const summary =
    items.length === 0
      ? "none"
      : items.map((item, i) => (isObject(item) ? (titleOf(item) ?? String(i + 1)) : String(item))).join(", ");
  return (
    <Fold form={form} path={path} label={label} description={field.description} actions={actions} summary={summary}>
      {() => (
        <>
          {items.map((item, i) =>
            !isShown(i) ? null : (
              // Entries have nothing but their place to be told apart by.
              <div key={i}>
                {draw({
                  form,
                  schema: field.shape.items,
                  path: [...path, String(i)],
                  list: isSimple ? label : undefined,
                  label: isSimple ? String(i + 1) : (titleOf(item) ?? `Entry ${i + 1}`),
                  isRequired: true,
                  actions: itemActions(i),
                })}
              </div>
            ),
          )}
          <div class="cfg-add">
            {items.length === 0 && <span class="cfg-help">The list is empty.</span>}
            {!form.isReadOnly && (
              <Button size="small" icon="plus" onClick={add} aria-label={`Add to ${label}`}>
                Add
              </Button>
            )}
            <WaysBack
              form={form}
              schema={field.schema}
              resolved={field.schema}
              path={path}
              label={label}
              isChanged={isChanged}
              {...(isRequired && { isRequired })}
            />
          </div>
        </>
      )}
    </Fold>
  );
}

interface ItemActionsProps {
  form: FieldProps["form"];
  at: number;
  count: number;
  label: string;
  onMove(to: number): void;
  onRemove(): void;
}

function ItemActions({ form, at, count, label, onMove, onRemove }: ItemActionsProps) {
  if (form.isReadOnly) return null;
  return (
    <span class="cfg-item-actions">
      {count > 1 && (
        <>
          <IconButton
            icon="up"
            size="small"
            label={`Move ${label} up`}
            disabled={at === 0}
            onClick={() => onMove(at - 1)}
          />
          <IconButton
            icon="down"
            size="small"
            label={`Move ${label} down`}
            disabled={at === count - 1}
            onClick={() => onMove(at + 1)}
          />
        </>
      )}
      <IconButton icon="trash" size="small" label={`Remove ${label}`} onClick={onRemove} />
    </span>
  );
}
