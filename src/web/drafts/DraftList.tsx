import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { DraftFields } from '#shared/drafts.ts';
import { readDraft } from '#web/platform/draft-api.ts';
import type { DraftAt } from '#web/platform/draft-store.ts';
import { discardDraft, restoreDraft } from '#web/platform/draft-sync.ts';
import { toast, toastError } from '#web/platform/toast.ts';
import { copyText } from '#web/ui/markdown/copy.ts';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Time } from '#web/ui/Time.tsx';
import { draftKeys } from './draft-keys.ts';
import { type DraftItem, formPath, nameOf } from './drafts.ts';
import classes from './DraftList.module.css';

type Discarded = { item: DraftItem; fields: DraftFields };

/** What the member has begun to write; what they discard here can be brought back until they leave. */
export function DraftList({ drafts, memberId }: { drafts: readonly DraftItem[]; memberId: number }) {
  const [discarded, setDiscarded] = useState<readonly Discarded[]>([]);
  const isDiscarded = (place: string) => discarded.some(({ item }) => item.place === place);
  // A line stays where it was, also when it is only the way back.
  const lines = [
    ...drafts.filter(({ place }) => !isDiscarded(place)).map((item) => ({ item, fields: null })),
    ...discarded,
  ].toSorted((one, other) => (one.item.updatedAt < other.item.updatedAt ? 1 : -1));
  const isBack = (place: string) => setDiscarded((all) => all.filter(({ item }) => item.place !== place));
  return (
    <ul className={classes.list}>
      {lines.map(({ item, fields }) => (
        <li key={item.place} className={classes.line}>
          {fields === null ? (
            <Line
              item={item}
              memberId={memberId}
              onDiscarded={(kept) => setDiscarded((all) => [...all, { item, fields: kept }])}
            />
          ) : (
            <WayBack item={item} fields={fields} memberId={memberId} onBack={() => isBack(item.place)} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Line(props: { item: DraftItem; memberId: number; onDiscarded: (fields: DraftFields) => void }) {
  const { item, memberId } = props;
  const client = useQueryClient();
  const id = useId();
  const path = formPath(item);
  const discard = useMutation({
    mutationFn: () => discardDraft({ memberId, place: item.place }),
    onSuccess: (fields) => {
      if (fields !== null) props.onDiscarded(fields);
      void client.invalidateQueries({ queryKey: draftKeys.all });
    },
    onError: () => toastError(t`The draft could not be discarded. Please try again.`),
  });
  return (
    <>
      <div className={classes.about}>
        {path === null ? (
          <p id={id} className={classes.name} dir="auto">
            {nameOf(item)}
          </p>
        ) : (
          <PathLink id={id} href={path} className={classes.name} dir="auto">
            {nameOf(item)}
          </PathLink>
        )}
        {item.beginning !== '' && (
          <p className={classes.beginning} dir="auto">
            {item.beginning}
          </p>
        )}
        <p className={classes.facts}>
          <Time at={item.updatedAt} />
          {item.version === null && <span>{t`Saved on this device`}</span>}
          {path === null && <span>{t`What it belongs to was deleted`}</span>}
        </p>
      </div>
      <div className={classes.buttons}>
        {path === null && <CopyText at={{ memberId, place: item.place }} describedBy={id} />}
        <Button
          variant="default"
          size="compact-md"
          aria-describedby={id}
          loading={discard.isPending}
          onClick={() => discard.mutate()}
        >
          {t`Discard`}
        </Button>
      </div>
    </>
  );
}

/** The way out for a text whose form is gone. */
function CopyText({ at, describedBy }: { at: DraftAt; describedBy: string }) {
  const copy = useMutation({
    mutationFn: async () => {
      const { fields } = await readDraft(at);
      if (!(await copyText(fields?.['content'] ?? ''))) throw new Error('The browser copies nothing.');
    },
    onSuccess: () => toast(t`Text copied to clipboard!`),
    onError: () => toastError(t`The text could not be copied. Please try again.`),
  });
  return (
    <Button
      variant="default"
      size="compact-md"
      aria-describedby={describedBy}
      loading={copy.isPending}
      onClick={() => copy.mutate()}
    >
      {t`Copy text`}
    </Button>
  );
}

function WayBack(props: { item: DraftItem; fields: DraftFields; memberId: number; onBack: () => void }) {
  const { item, fields, memberId, onBack } = props;
  const client = useQueryClient();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  const restore = useMutation({
    mutationFn: () => restoreDraft({ memberId, place: item.place }, fields),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: draftKeys.all });
      onBack();
    },
  });
  return (
    <>
      <output className={classes.discarded}>{t`Draft discarded`}</output>
      <Button
        ref={button}
        variant="default"
        size="compact-md"
        loading={restore.isPending}
        onClick={() => restore.mutate()}
      >
        {t`Undo`}
      </Button>
    </>
  );
}
