import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Ref, useId, useState } from 'react';
import type { DraftFields } from '#shared/posts/drafts.ts';
import { fetchDraft } from './drafts-api.ts';
import { type DraftRef, readDraftRecord } from './drafts-storage.ts';
import { discardDraft, restoreDraft } from './drafts-sync.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { copyText } from '#web/ui/copy-text.ts';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { draftKeys } from '#web/posts/query-keys.ts';
import { draftFormPath, type DraftItem, draftLabel } from './drafts.ts';
import classes from './DraftList.module.css';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton, SkeletonLines } from '#web/ui/Skeleton.tsx';

type DiscardedDraft = { item: DraftItem; fields: DraftFields };

/** The member's drafts. A discarded draft can be restored until the page is left. */
export function DraftList({ drafts, memberId }: { drafts: readonly DraftItem[]; memberId: number }) {
  const [discarded, setDiscarded] = useState<readonly DiscardedDraft[]>([]);
  // A draft that was written since has another time.
  const isDiscarded = ({ target, updatedAt }: DraftItem) =>
    discarded.some(({ item }) => item.target === target && item.updatedAt === updatedAt);
  // A line stays in its place, also when it only offers to restore the draft.
  const lines = [
    ...drafts.filter((item) => !isDiscarded(item)).map((item) => ({ item, fields: null })),
    ...discarded,
  ].toSorted((one, other) => (one.item.updatedAt < other.item.updatedAt ? 1 : -1));
  return (
    <ul className={classes.list}>
      {lines.map(({ item, fields }) => (
        <li key={fields === null ? item.target : `${item.target} ${item.updatedAt}`} className={classes.line}>
          {fields === null ? (
            <DraftLine
              item={item}
              memberId={memberId}
              onDiscarded={(draftFields) => setDiscarded((all) => [...all, { item, fields: draftFields }])}
            />
          ) : (
            <DiscardedDraftLine
              item={item}
              fields={fields}
              memberId={memberId}
              onRestored={() => setDiscarded((all) => all.filter((each) => each.item !== item))}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function DraftLine(props: { item: DraftItem; memberId: number; onDiscarded: (fields: DraftFields) => void }) {
  const { item, memberId } = props;
  const client = useQueryClient();
  const id = useId();
  const path = draftFormPath(item);
  const discard = useMutation({
    mutationFn: () => discardDraft({ memberId, target: item.target }),
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
            {draftLabel(item)}
          </p>
        ) : (
          <Link id={id} href={path} className={classes.name} dir="auto">
            {draftLabel(item)}
          </Link>
        )}
        {item.excerpt !== '' && (
          <p className={classes.excerpt} dir="auto">
            {item.excerpt}
          </p>
        )}
        <p className={classes.facts}>
          <Time at={item.updatedAt} />
          {item.version === null && <span>{t`Saved on this device`}</span>}
          {path === null && item.version !== null && <span>{t`The post it belongs to was deleted`}</span>}
        </p>
      </div>
      <div className={classes.buttons}>
        {path === null && (
          <CopyTextButton describedBy={id} read={() => readText({ memberId, target: item.target })} />
        )}
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

async function readText(draftRef: DraftRef): Promise<string> {
  const record = readDraftRecord(draftRef);
  // The server does not have this text yet.
  const { fields } = record?.dirty === true ? record : await fetchDraft(draftRef);
  return fields?.['content'] ?? '';
}

/** Lets the member copy a text that no form shows. */
function CopyTextButton(props: {
  describedBy: string;
  read: () => string | Promise<string>;
  ref?: Ref<HTMLButtonElement>;
}) {
  const { describedBy, read, ref } = props;
  const copy = useMutation({
    mutationFn: async () => {
      const text = await read();
      if (text === '' || !(await copyText(text))) throw new Error('The text could not be copied.');
    },
    onSuccess: () => toast(t`Text copied to clipboard!`),
    onError: () => toastError(t`The text could not be copied. Please try again.`),
  });
  return (
    <Button
      ref={ref}
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

const takeFocus = (button: HTMLButtonElement | null) => button?.focus();

function DiscardedDraftLine(props: {
  item: DraftItem;
  fields: DraftFields;
  memberId: number;
  onRestored: () => void;
}) {
  const { item, fields, memberId, onRestored } = props;
  const client = useQueryClient();
  const id = useId();
  const restore = useMutation({
    mutationFn: () => restoreDraft({ memberId, target: item.target }, fields),
    onSuccess: async (isRestored) => {
      await client.invalidateQueries({ queryKey: draftKeys.all });
      if (isRestored) onRestored();
    },
  });
  const isReplaced = restore.data === false;
  return (
    <>
      <output id={id} className={classes.discarded}>
        {isReplaced
          ? t`There is a newer draft of this post. You can copy the discarded text.`
          : t`Draft discarded`}
      </output>
      {isReplaced ? (
        <CopyTextButton ref={takeFocus} describedBy={id} read={() => fields['content'] ?? ''} />
      ) : (
        <Button
          ref={takeFocus}
          variant="default"
          size="compact-md"
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          {t`Undo`}
        </Button>
      )}
    </>
  );
}

/** The placeholder of the list of drafts: a name, two lines of text and a time for each. */
export function DraftSkeletons() {
  return (
    <LoadingRegion label={t`Loading your drafts`}>
      {['first', 'second', 'third'].map((each) => (
        <span key={each} className={classes.line}>
          <span className={classes.about}>
            <SkeletonLines widths={['60%', '96%', '72%', '6rem']} />
          </span>
          <Skeleton width="4.75rem" height="2.125rem" />
        </span>
      ))}
    </LoadingRegion>
  );
}
